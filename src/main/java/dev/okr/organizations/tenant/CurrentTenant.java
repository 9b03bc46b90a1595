package dev.okr.organizations.tenant;

import io.quarkus.arc.Arc;
import io.quarkus.hibernate.orm.PersistenceUnitExtension;
import io.quarkus.hibernate.orm.runtime.tenant.TenantResolver;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import java.util.UUID;

/** The organisation whose rows the current request sees. A request that is not bound to one sees no rows. */
@RequestScoped
public class CurrentTenant {
    private static final UUID NOBODY = new UUID(0, 0);

    private UUID organizationId = NOBODY;

    /** Binds the request to an organisation. Must be called before the request's first query. */
    public void bind(UUID organizationId) {
        this.organizationId = organizationId;
    }

    UUID organizationId() {
        return organizationId;
    }

    /** Tells Hibernate the organisation that every entity query is filtered by. */
    @PersistenceUnitExtension
    @ApplicationScoped
    public static class Resolver implements TenantResolver {
        @Inject
        CurrentTenant tenant;

        @Override
        public String getDefaultTenantId() {
            return NOBODY.toString();
        }

        @Override
        public String resolveTenantId() {
            return (Arc.container().requestContext().isActive() ? tenant.organizationId() : NOBODY).toString();
        }
    }
}
