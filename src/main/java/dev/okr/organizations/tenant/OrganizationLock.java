package dev.okr.organizations.tenant;

import io.quarkus.hibernate.orm.panache.Panache;
import java.util.UUID;

/**
 * Serialises changes of one organisation that must see the results of previous changes. It locks the organisation's row
 * until the end of the transaction. Inserts of rows that refer to the organisation do not wait for this lock.
 */
public final class OrganizationLock {
    private OrganizationLock() {}

    public static void acquire(UUID organizationId) {
        Panache.getSession()
                .createNativeQuery("SELECT id FROM organization WHERE id = :id FOR NO KEY UPDATE", UUID.class)
                .setParameter("id", organizationId)
                .getSingleResult();
    }
}
