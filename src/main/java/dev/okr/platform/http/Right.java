package dev.okr.platform.http;

/** What a caller must be allowed to do. {@code access.Permission} gives each right its scope and role. */
public enum Right {
    /** Read the organisation's OKRs. */
    READ,
    /** Change the organisation's OKRs. */
    WRITE,
    /** Read all data. Only administrators may do this. */
    READ_EVERYTHING,
    /** Change what only administrators may change. */
    ADMINISTER,
    /** Read and change webhooks and events. */
    MANAGE_WEBHOOKS
}
