package dev.okr.operations.commands;

import dev.okr.operations.database.EncryptionKeyCheck;
import dev.okr.operations.moving.CommandImport;
import dev.okr.organizations.EmailAddress;
import dev.okr.organizations.Organization;
import dev.okr.organizations.audit.Actor;
import dev.okr.organizations.audit.AuditLog;
import dev.okr.organizations.audit.Change;
import dev.okr.organizations.audit.ChangeEvents;
import dev.okr.organizations.tenant.CurrentTenant;
import dev.okr.platform.encryption.SecretBox;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.RetriedTransactionInterceptor;
import dev.okr.platform.transactions.Sql;
import io.agroal.api.AgroalDataSource;
import io.quarkus.arc.Arc;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The services that commands use: transactions, the clock, and the encryption keys. */
@ApplicationScoped
class Operations {
    private static final String FIND_USER = """
            /* all organizations */
            SELECT u.organization_id, u.id, o.slug, u.name
            FROM users u JOIN organization o ON o.id = u.organization_id
            WHERE lower(u.email COLLATE "C") = lower(? COLLATE "C")
            LIMIT 2
            """;

    private final AgroalDataSource database;
    private final CurrentTenant tenant;
    private final UtcClock clock;
    private final SecretBox secretBox;
    private final EncryptionKeyCheck encryptionKeyCheck;
    private final ChangeEvents events;
    private final CommandImport imports;

    Operations(
            AgroalDataSource database,
            CurrentTenant tenant,
            UtcClock clock,
            SecretBox secretBox,
            EncryptionKeyCheck encryptionKeyCheck,
            ChangeEvents events,
            CommandImport imports) {
        this.database = database;
        this.tenant = tenant;
        this.clock = clock;
        this.secretBox = secretBox;
        this.encryptionKeyCheck = encryptionKeyCheck;
        this.events = events;
        this.imports = imports;
    }

    /** @param slug the slug of the user's organisation */
    record User(UUID organizationId, UUID id, String slug, String name) {
        private static User read(ResultSet row) throws SQLException {
            return new User(
                    Sql.uuid(row, "organization_id"),
                    Sql.uuid(row, "id"),
                    row.getString("slug"),
                    row.getString("name"));
        }
    }

    /**
     * Makes a change to an organisation in one transaction. The operator is its author. Entity queries see only this
     * organisation. The transaction is retried if it conflicts with another one.
     */
    <T extends @Nullable Object> T change(UUID organizationId, AuditLog.Work<T> work) throws Exception {
        var request = Arc.container().requestContext();
        request.activate();
        try {
            tenant.bind(organizationId);
            return RetriedTransactionInterceptor.inRetriedTransaction(() -> {
                // Within a transaction, Agroal returns the connection of the transaction.
                try (var connection = database.getConnection()) {
                    var change = Change.by(Actor.OPERATOR, organizationId, new Sql(connection), clock.now());
                    return work.apply(change.with(events));
                }
            });
        } finally {
            request.terminate();
        }
    }

    /** Runs SQL statements in one transaction, across organisations. */
    <T> T transaction(Sql.Work<T, RuntimeException> work) throws SQLException {
        return Sql.transaction(database, work);
    }

    /** @throws CommandFailure if there is no organisation with this slug */
    Organization organization(String slug) throws SQLException {
        return transaction(sql -> Organization.find(sql, slug))
                .orElseThrow(() -> new CommandFailure("There is no organisation with the slug " + slug + "."));
    }

    /**
     * Finds a user of any organisation.
     *
     * @throws CommandFailure if no user or several users have the email address
     */
    User user(EmailAddress email) throws SQLException {
        var found = transaction(sql -> sql.list(User::read, FIND_USER, email.text()));
        if (found.isEmpty()) {
            throw new CommandFailure("There is no user with the email address " + email + ".");
        }
        if (found.size() > 1) {
            throw new CommandFailure(
                    "Several users have the email address " + email + ". The command does not choose one.");
        }
        return found.getFirst();
    }

    CommandImport imports() {
        return imports;
    }

    Instant now() {
        return clock.now();
    }

    /** Fails with a message for the operator if an encryption key is missing or invalid. */
    void requireEncryptionKey() {
        encryptionKeyCheck.require();
    }

    DataSource database() {
        return database;
    }

    SecretRotation secretRotation() {
        return new SecretRotation(database, secretBox, clock);
    }

    SecretBox secretBox() {
        return secretBox;
    }
}
