package dev.okr.cycles;

import dev.okr.errors.Failure;
import dev.okr.http.ListQuery;
import dev.okr.http.Slice;
import dev.okr.ids.IdKind;
import dev.okr.ids.UuidV7;
import dev.okr.organizations.ConstantConverter;
import dev.okr.organizations.NewestFirst;
import dev.okr.organizations.TenantEntity;
import jakarta.persistence.Column;
import jakarta.persistence.Converter;
import jakarta.persistence.Entity;
import jakarta.persistence.LockModeType;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.UUID;
import org.hibernate.annotations.DynamicUpdate;
import org.jspecify.annotations.Nullable;

/** A period in which objectives are pursued, such as a quarter. Cycles may overlap. */
@Entity
@DynamicUpdate
@Table(name = "cycle")
public class Cycle extends TenantEntity {
    @Column(name = "name")
    String name;

    @Column(name = "starts_at")
    Instant startsAt;

    @Column(name = "ends_at")
    Instant endsAt;

    @Column(name = "status")
    CycleStatus status;

    @Column(name = "created_at", updatable = false)
    Instant createdAt;

    @Column(name = "updated_at")
    Instant updatedAt;

    protected Cycle() {}

    static Cycle create(CreateCycle request, Instant now) {
        var cycle = new Cycle();
        cycle.id = UuidV7.at(now);
        cycle.name = request.name();
        cycle.startsAt = request.startsAt();
        cycle.endsAt = request.endsAt();
        cycle.status = CycleStatus.PLANNED;
        cycle.createdAt = now;
        cycle.updatedAt = now;
        cycle.persist();
        return cycle;
    }

    void update(UpdateCycle request, Instant now) {
        var newName = request.name().orElse(name);
        var newStart = request.startsAt().orElse(startsAt);
        var newEnd = request.endsAt().orElse(endsAt);
        if (newName.equals(name) && newStart.equals(startsAt) && newEnd.equals(endsAt)) {
            return;
        }
        name = newName;
        startsAt = newStart;
        endsAt = newEnd;
        updatedAt = now;
    }

    public static boolean exists(UUID id) {
        return count("id", id) > 0;
    }

    /** @throws Failure when the organisation has no such cycle */
    static Cycle require(String publicId) {
        return IdKind.CYCLE
                .parse(publicId)
                .flatMap(id -> Cycle.find("id", id).<Cycle>firstResultOptional())
                .orElseThrow(() -> Failure.notFound("cycle"));
    }

    /** Reads a cycle under a lock on its row, so that two changes of its dates meet one after the other. */
    static Cycle requireLocked(String publicId) {
        return IdKind.CYCLE
                .parse(publicId)
                .flatMap(id -> Cycle.find("id", id)
                        .withLock(LockModeType.PESSIMISTIC_WRITE)
                        .<Cycle>firstResultOptional())
                .orElseThrow(() -> Failure.notFound("cycle"));
    }

    static Slice<Cycle> list(ListQuery query, @Nullable CycleStatus status) {
        return NewestFirst.of(Cycle.class, cycle -> cycle.createdAt)
                .with("status", status)
                .slice(query);
    }

    /** Stores statuses in lower case. */
    @Converter(autoApply = true)
    static class StatusConverter extends ConstantConverter<CycleStatus> {
        StatusConverter() {
            super(CycleStatus.class);
        }
    }
}
