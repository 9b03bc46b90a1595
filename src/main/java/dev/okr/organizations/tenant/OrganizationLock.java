package dev.okr.organizations.tenant;

import io.quarkus.hibernate.orm.panache.Panache;
import java.util.UUID;

/**
 * Lets the changes of an organisation that must see each other happen one after the other. It is a lock on the
 * organisation's row until the end of the transaction, of the strength that foreign keys to the row do not wait for.
 */
public final class OrganizationLock {
    private OrganizationLock() {}

    /** Locks the current organisation. */
    public static void acquire() {
        acquire(UUID.fromString(Panache.getSession().getTenantIdentifier()));
    }

    public static void acquire(UUID organizationId) {
        Panache.getSession()
                .createNativeQuery("SELECT id FROM organization WHERE id = :id FOR NO KEY UPDATE", UUID.class)
                .setParameter("id", organizationId)
                .getSingleResult();
    }
}
