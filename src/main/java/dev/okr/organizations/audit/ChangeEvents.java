package dev.okr.organizations.audit;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Records changes of users and teams as events, in the transaction of the change. The area {@code events} implements
 * it, because the area of the classes that write users cannot import {@code events}.
 */
public interface ChangeEvents {
    /** Records nothing. For rows that are created together with their organisation, before anybody can read events. */
    ChangeEvents NONE = (change, occurrences) -> {};

    /**
     * What happened to a resource.
     *
     * @param type the type of the event, such as {@code team.updated}
     * @param resourceId the public id of the resource
     * @param shown the resource as lists show it
     * @param before the same before an update; null for other events
     */
    record Occurrence(
            String type,
            String resourceId,
            Object shown,
            @Nullable Object before) {}

    /** Writes an event for each occurrence. An update that the API does not show has no event. */
    void record(Change change, List<Occurrence> occurrences) throws SQLException;
}
