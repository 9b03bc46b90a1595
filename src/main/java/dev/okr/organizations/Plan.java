package dev.okr.organizations;

/** The plan of an organisation. The constants are in ascending order. */
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
