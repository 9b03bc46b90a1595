package dev.okr.webhooks;

/** Why a URL cannot be the target of a webhook, in words for the caller. */
final class RefusedTarget extends Exception {
    private static final long serialVersionUID = 1L;

    private final String code;

    private RefusedTarget(String code, String detail) {
        super(detail, null, false, false);
        this.code = code;
    }

    static RefusedTarget tooLong(int maxCharacters) {
        return new RefusedTarget("too_long", "A target URL may have at most " + maxCharacters + " characters.");
    }

    static RefusedTarget malformed(String detail) {
        return new RefusedTarget("invalid_format", detail);
    }

    static RefusedTarget scheme(boolean httpAllowed) {
        return new RefusedTarget(
                "scheme_not_allowed", "A target URL must begin with https://" + (httpAllowed ? " or http://." : "."));
    }

    static RefusedTarget host(String detail) {
        return new RefusedTarget("host_not_allowed", detail);
    }

    static RefusedTarget localhost() {
        return host("A target must not be this machine.");
    }

    /** Names no address: what a private name resolves to is nobody's business. */
    static RefusedTarget address() {
        return new RefusedTarget(
                "address_not_allowed", "The host leads to an address that is not on the public internet.");
    }

    static RefusedTarget unresolvable() {
        return new RefusedTarget("unresolvable_host", "The host's name does not resolve.");
    }

    /** A stable snake_case code. */
    String code() {
        return code;
    }

    /** A sentence for the caller. */
    String detail() {
        return String.valueOf(getMessage());
    }
}
