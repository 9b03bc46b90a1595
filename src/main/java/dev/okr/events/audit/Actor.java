package dev.okr.events.audit;

/** Who can do something that the audit log takes down. */
public enum Actor {
    /** A person, in the console or with an API key. */
    USER,
    /** Whoever runs the operator commands. */
    OPERATOR,
    /** The organisation file, when the service starts. */
    ORGANIZATION_FILE,
    /** The service by itself. */
    SERVICE
}
