package dev.okr.organizations.tenant;

import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.persistence.Column;
import jakarta.persistence.Id;
import jakarta.persistence.MappedSuperclass;
import java.util.UUID;
import org.hibernate.annotations.PartitionKey;
import org.hibernate.annotations.TenantId;

/**
 * A managed row of one organisation. Hibernate adds the organisation to every entity query. All primary and foreign
 * keys of the schema begin with the organisation too, so a mistake here cannot link rows of two organisations.
 */
@MappedSuperclass
public abstract class TenantEntity extends PanacheEntityBase {
    @Id
    @Column(name = "id", updatable = false)
    protected UUID id;

    // Text, because Quarkus resolves tenants as text. The column is a uuid.
    @TenantId
    @PartitionKey
    @Column(name = "organization_id", updatable = false)
    protected String organizationId;

    public UUID id() {
        return id;
    }
}
