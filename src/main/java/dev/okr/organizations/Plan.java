package dev.okr.organizations;

/** What an organisation pays for. */
public enum Plan {
    FREE,
    TEAM,
    BUSINESS,
    ENTERPRISE;

    /** API access starts with the Business plan (specification, section 1). */
    public boolean includesApi() {
        return compareTo(BUSINESS) >= 0;
    }
}
