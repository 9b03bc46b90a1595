package dev.okr.organizations.audit;

/** The kind of author of an audit entry. */
public enum Actor {
    /** A user, in the console or with an API key. */
    USER,
    /** A person who runs commands on the command line. */
    OPERATOR,
    /** The organisation file, at a start of the service. */
    ORGANIZATION_FILE,
    /** The service itself. */
    SERVICE
}
