package dev.okr.organizations;

import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.persistence.Column;
import jakarta.persistence.Id;
import jakarta.persistence.MappedSuperclass;
import java.util.UUID;
import org.hibernate.annotations.PartitionKey;
import org.hibernate.annotations.TenantId;

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

    public UUID id() {
        return id;
    }
}
