package dev.okr.organizations.tenant;

import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.persistence.Column;
import jakarta.persistence.Id;
import jakarta.persistence.MappedSuperclass;
import java.util.UUID;
import org.hibernate.annotations.PartitionKey;
import org.hibernate.annotations.TenantId;
import org.hibernate.engine.spi.SelfDirtinessTracker;

/**
 * A row of one organisation. Hibernate adds the organisation to every entity query; the primary and foreign keys of
 * the schema, which lead with it, hold should Hibernate ever not.
 */
@MappedSuperclass
public abstract class TenantEntity extends PanacheEntityBase {
    @Id
    @Column(name = "id", updatable = false)
    protected UUID id;

    // Text, because Quarkus resolves tenants as text; the database has a uuid.
    @TenantId
    @PartitionKey
    @Column(name = "organization_id", updatable = false)
    protected String organizationId;

    /**
     * Prepares an entity to be filled from a row that no session will manage: Hibernate would note the name of each field
     * that is set, which takes longer than to read it.
     */
    protected static <E extends TenantEntity> E unmanaged(E entity) {
        // Every entity is one, once Hibernate has enhanced its class.
        if ((Object) entity instanceof SelfDirtinessTracker tracker) {
            tracker.$$_hibernate_suspendDirtyTracking(true);
        }
        return entity;
    }

    public UUID id() {
        return id;
    }
}
