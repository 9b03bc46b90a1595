package dev.okr.webhooks;

/** The reason why a URL cannot be the target of a webhook. */
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
                "scheme_not_allowed", "A target URL must start with https://" + (httpAllowed ? " or http://." : "."));
    }

    static RefusedTarget host(String detail) {
        return new RefusedTarget("host_not_allowed", detail);
    }

    static RefusedTarget localhost() {
        return host("A target URL must not point to localhost.");
    }

    /** The detail omits the address, so that clients cannot look up private names through this API. */
    static RefusedTarget address() {
        return new RefusedTarget("address_not_allowed", "The host has an address that is not on the public internet.");
    }

    static RefusedTarget unresolvable() {
        return new RefusedTarget("unresolvable_host", "The host name does not resolve.");
    }

    /** A stable snake_case code. */
    String code() {
        return code;
    }

    /** A sentence for the API client. */
    String detail() {
        return String.valueOf(getMessage());
    }
}
