package dev.okr.operations.provisioning;

/** An organisation file is invalid. The message has one line per error and contains no token. */
final class InvalidOrganizationFile extends Exception {
    private static final long serialVersionUID = 1L;

    private final String reasons;

    InvalidOrganizationFile(String reasons) {
        super(reasons);
        this.reasons = reasons;
    }

    String reasons() {
        return reasons;
    }
}
