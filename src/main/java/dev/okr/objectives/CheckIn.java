package dev.okr.objectives;

import dev.okr.events.EventType;
import dev.okr.events.Outbox;
import dev.okr.organizations.tenant.NewestFirst;
import dev.okr.organizations.tenant.TenantEntity;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.hibernate.annotations.DynamicUpdate;
import org.jspecify.annotations.Nullable;

/** A progress update on a key result. Every change of one is made under the lock on the objective's row. */
@Entity
@DynamicUpdate
@Table(name = "check_in")
public class CheckIn extends TenantEntity {
    private static final TenantTable<CheckIn> TABLE = new TenantTable<>(
            "check_in",
            List.of("id", "key_result_id", "value", "note", "author_id", "created_at", "updated_at"),
            CheckIn::read);

    private static final String INSERT = """
            INSERT INTO check_in (organization_id, id, key_result_id, value, note, author_id, created_at, updated_at)
            VALUES (:organization, ?, ?, ?, ?, ?, ?, ?)
            """;

    @Column(name = "key_result_id", updatable = false)
    UUID keyResultId;

    @Column(name = "value")
    BigDecimal value;

    @Column(name = "note")
    @Nullable
    String note;

    @Column(name = "author_id", updatable = false)
    UUID authorId;

    @Column(name = "created_at", updatable = false)
    Instant createdAt;

    @Column(name = "updated_at")
    Instant updatedAt;

    protected CheckIn() {}

    static CheckIn create(LockedKeyResult locked, CreateCheckIn request, UUID author, Instant now) {
        var moment = after(locked.newestCheckIn(), now);
        var checkIn = new CheckIn();
        checkIn.id = UuidV7.at(moment);
        checkIn.keyResultId = locked.keyResult().id();
        checkIn.value = request.value();
        checkIn.note = request.note();
        checkIn.authorId = author;
        checkIn.createdAt = moment;
        checkIn.updatedAt = moment;
        checkIn.insert();
        locked.checkIn(request.value(), now);
        return checkIn;
    }

    void update(LockedKeyResult locked, UpdateCheckIn request, Instant now) {
        var newValue = request.value().orElse(value);
        var newNote = request.note().applyTo(note);
        boolean valueMoves = newValue.compareTo(value) != 0;
        if (!valueMoves && Objects.equals(newNote, note)) {
            return;
        }
        value = newValue;
        note = newNote;
        updatedAt = now;
        if (valueMoves && createdAt.equals(locked.newestCheckIn())) {
            locked.checkIn(newValue, now);
        }
    }

    /** @throws Failure for anyone but its author and admins */
    void requireEditableBy(Caller caller) {
        if (!caller.isAdmin() && !authorId.equals(caller.userId())) {
            throw Failure.forbidden("Only its author or an admin may change a check-in.");
        }
    }

    /**
     * Reads a check-in of a locked key result to change it, watched for what becomes of it.
     *
     * @throws Failure when the key result has no such check-in
     */
    static CheckIn require(UUID keyResultId, String publicId, Outbox outbox) {
        return IdKind.CHECK_IN
                .parse(publicId)
                .flatMap(id ->
                        find("id = ?1 and keyResultId = ?2", id, keyResultId).<CheckIn>firstResultOptional())
                .map(checkIn -> checkIn.watched(outbox))
                .orElseThrow(() -> Failure.notFound("check-in"));
    }

    private CheckIn watched(Outbox outbox) {
        outbox.watch(EventType.CHECK_IN_UPDATED, IdKind.CHECK_IN.format(id), () -> CheckInResponse.of(this));
        return this;
    }

    static Slice<CheckIn> list(ListQuery query, UUID keyResultId) {
        return NewestFirst.of(TABLE, checkIn -> checkIn.createdAt)
                .with("key_result_id", keyResultId)
                .slice(query);
    }

    private void insert() {
        TenantSql.current().write(INSERT, id, keyResultId, value, note, authorId, createdAt, updatedAt);
    }

    private static CheckIn read(ResultSet row) throws SQLException {
        var checkIn = unmanaged(new CheckIn());
        checkIn.id = Sql.uuid(row, "id");
        checkIn.keyResultId = Sql.uuid(row, "key_result_id");
        checkIn.value = row.getBigDecimal("value");
        checkIn.note = row.getString("note");
        checkIn.authorId = Sql.uuid(row, "author_id");
        checkIn.createdAt = Sql.instant(row, "created_at");
        checkIn.updatedAt = Sql.instant(row, "updated_at");
        return checkIn;
    }

    /** This moment, or one later than the last if a replica's clock is behind: the first of the list rules. */
    private static Instant after(@Nullable Instant last, Instant now) {
        return last == null || now.isAfter(last) ? now : last.plus(1, ChronoUnit.MICROS);
    }
}
