package dev.okr.operations.commands;

import dev.okr.events.audit.Actor;
import dev.okr.events.audit.AuditAction;
import dev.okr.events.audit.AuditLog;
import dev.okr.operations.database.EncryptionKeyCheck;
import dev.okr.organizations.tenant.CurrentTenant;
import dev.okr.platform.encryption.SecretBox;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.RetriedTransactionInterceptor;
import dev.okr.platform.transactions.Sql;
import io.agroal.api.AgroalDataSource;
import io.quarkus.arc.Arc;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What commands work with: transactions of one organisation or across all, the clock, the keys and the audit log. */
@ApplicationScoped
class Operations {
    private final AgroalDataSource database;
    private final CurrentTenant tenant;
    private final UtcClock clock;
    private final SecretBox secretBox;
    private final EncryptionKeyCheck encryptionKeyCheck;

    Operations(
            AgroalDataSource database,
            CurrentTenant tenant,
            UtcClock clock,
            SecretBox secretBox,
            EncryptionKeyCheck encryptionKeyCheck) {
        this.database = database;
        this.tenant = tenant;
        this.clock = clock;
        this.secretBox = secretBox;
        this.encryptionKeyCheck = encryptionKeyCheck;
    }

    /** A change within an organisation, for which its entities can be used beside statements. */
    @FunctionalInterface
    interface Change<T extends @Nullable Object> {
        T apply(Sql sql, Instant now) throws SQLException;
    }

    /**
     * Makes a change in one transaction, and again when another got in its way. Entity queries see the organisation
     * and no other.
     */
    <T extends @Nullable Object> T change(UUID organizationId, Change<T> change) throws Exception {
        var request = Arc.container().requestContext();
        request.activate();
        try {
            tenant.bind(organizationId);
            return RetriedTransactionInterceptor.inRetriedTransaction(() -> {
                // In a transaction, Agroal gives out the connection that the transaction is on.
                try (var connection = database.getConnection()) {
                    return change.apply(new Sql(connection), clock.now());
                }
            });
        } finally {
            request.terminate();
        }
    }

    /** Reads, or writes what spans organisations, by statements alone. */
    <T> T transaction(Sql.Work<T, RuntimeException> work) throws SQLException {
        return Sql.transaction(database, work);
    }

    Instant now() {
        return clock.now();
    }

    /** Says what is wrong with the encryption keys, before anything is done with them. */
    void requireEncryptionKey() {
        encryptionKeyCheck.require();
    }

    SecretRotation secretRotation() {
        return new SecretRotation(database, secretBox, clock);
    }

    SecretBox secretBox() {
        return secretBox;
    }

    /** Takes down what the operator did, in its transaction. */
    static void record(
            Sql sql,
            UUID organizationId,
            AuditAction action,
            UUID subjectId,
            @Nullable String subjectName,
            @Nullable String detail,
            Instant now)
            throws SQLException {
        AuditLog.record(sql, Actor.OPERATOR, organizationId, action, subjectId, subjectName, detail, now);
    }
}
