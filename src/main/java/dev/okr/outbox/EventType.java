package dev.okr.outbox;

import java.util.Locale;

/** The closed vocabulary of events (contract, section 4). */
public enum EventType {
    OBJECTIVE_CREATED,
    OBJECTIVE_UPDATED,
    OBJECTIVE_DELETED,
    KEY_RESULT_CREATED,
    KEY_RESULT_UPDATED,
    KEY_RESULT_DELETED,
    CHECK_IN_CREATED,
    CHECK_IN_UPDATED,
    CYCLE_CREATED,
    CYCLE_UPDATED,
    ALIGNMENT_CREATED,
    ALIGNMENT_DELETED,
    /** Happens on request alone, to the one webhook that is tried out. */
    WEBHOOK_PING;

    private final String type;

    EventType() {
        var name = name().toLowerCase(Locale.ROOT);
        int action = name.lastIndexOf('_');
        this.type = name.substring(0, action) + '.' + name.substring(action + 1);
    }

    /** The public form, {@code <resource>.<action>}, such as {@code check_in.created}. */
    public String type() {
        return type;
    }
}
