package dev.okr.organizations;

/** The paid plan of an organisation, in ascending order. */
public enum Plan {
    FREE,
    TEAM,
    BUSINESS,
    ENTERPRISE;

    /** The API requires the Business plan or a higher one. */
    public boolean includesApi() {
        return compareTo(BUSINESS) >= 0;
    }
}
