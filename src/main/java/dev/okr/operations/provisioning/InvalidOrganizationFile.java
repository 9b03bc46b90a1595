package dev.okr.operations.provisioning;

/** An organisation file is wrong. There is a line for each reason, and none shows a token. */
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
