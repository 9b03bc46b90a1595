package dev.okr.events.audit;

/** Who can cause an entry of the audit log. */
public enum Actor {
    /** A person, in the console or with an API key. */
    USER,
    /** Somebody who runs the operator commands. */
    OPERATOR,
    /** The organisation file, when the service starts. */
    ORGANIZATION_FILE,
    /** The service itself. */
    SERVICE
}
