package dev.okr.operations.commands;

import dev.okr.platform.encryption.SecretBox;
import dev.okr.platform.idempotency.Idempotent;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "webhook-secrets",
        description = "Changes the key that encrypts webhook secrets.",
        subcommands = WebhookSecretsCommand.RotateKey.class)
final class WebhookSecretsCommand {

    @Command(
            name = "rotate-key",
            description = {
                "Encrypts all secrets with OKR_ENCRYPTION_KEY that are still encrypted with another key.",
                "The other keys must be in OKR_ENCRYPTION_KEYS_PREVIOUS. Replicas can keep running if their configuration"
                        + " contains both keys."
            })
    static final class RotateKey extends DatabaseCommand {
        private static final int MAX_LISTED = 20;

        @Option(
                names = "--check",
                description = "Only counts the secrets by key. Fails if keys other than the current one are in use.")
        boolean check;

        @Override
        void run(Operations operations) throws Exception {
            operations.requireEncryptionKey();
            var result = check ? null : operations.secretRotation().run();
            var counts = operations.transaction(KeyCount::list);
            print(table(counts, operations.secretBox()));
            if (result == null) {
                requireNoOthers(counts, operations.secretBox());
            } else {
                report(result);
            }
        }

        private void report(SecretRotation.Result result) {
            say(
                    "Re-encrypted: %d webhook secrets, %d previous webhook secrets, %d stored responses. Deleted: %d expired secrets."
                            .formatted(
                                    result.webhookSecrets(),
                                    result.previousSecrets(),
                                    result.storedResponses(),
                                    result.expiredSecrets()));
            var problems = problems(result);
            if (!problems.isEmpty()) {
                throw new CommandFailure(String.join(" ", problems));
            }
        }

        private static List<String> problems(SecretRotation.Result result) {
            var problems = new ArrayList<String>();
            if (!result.missingKeyIds().isEmpty()) {
                problems.add(
                        "Keys are missing in OKR_ENCRYPTION_KEYS_PREVIOUS: " + listed(result.missingKeyIds()) + ".");
            }
            if (!result.damagedRows().isEmpty()) {
                problems.add("These secrets cannot be decrypted, because their rows were changed or moved: "
                        + listed(result.damagedRows()) + ".");
            }
            if (result.busy()) {
                problems.add("Other transactions have locked some secrets. Run the command again.");
            }
            return problems;
        }

        private static String listed(Collection<String> names) {
            var listed = names.stream().limit(MAX_LISTED).collect(Collectors.joining(", "));
            return names.size() > MAX_LISTED ? listed + " and " + (names.size() - MAX_LISTED) + " more" : listed;
        }

        private static void requireNoOthers(List<KeyCount> counts, SecretBox secretBox) {
            var others = counts.stream()
                    .map(KeyCount::keyId)
                    .filter(keyId -> !isCurrent(secretBox, keyId))
                    .toList();
            if (!others.isEmpty()) {
                throw new CommandFailure("Keys other than the current one are still in use: " + listed(others) + ".");
            }
        }

        private static Table table(List<KeyCount> counts, SecretBox secretBox) {
            var table = new Table("KEY ID", "KEY", "WEBHOOK SECRETS", "PREVIOUS SECRETS", "STORED RESPONSES");
            for (var count : counts) {
                table.add(
                        count.keyId(),
                        standing(secretBox, count.keyId()),
                        count.webhookSecrets(),
                        count.previousSecrets(),
                        count.storedResponses());
            }
            return table;
        }

        private static String standing(SecretBox secretBox, String keyId) {
            if (isCurrent(secretBox, keyId)) {
                return "current";
            }
            return secretBox.knows(keyId) ? "previous" : "missing";
        }

        private static boolean isCurrent(SecretBox secretBox, String keyId) {
            return secretBox.currentKeyId().filter(keyId::equals).isPresent();
        }
    }

    /** The number of secrets that are encrypted with a key. */
    record KeyCount(String keyId, long webhookSecrets, long previousSecrets, long storedResponses) {
        private static final int MAX_KEYS = 1_000;
        private static final String LIST = """
                /* all organizations */
                SELECT key_id,
                    count(*) FILTER (WHERE kind = 1) AS webhook_secrets,
                    count(*) FILTER (WHERE kind = 2) AS previous_secrets,
                    count(*) FILTER (WHERE kind = 3) AS stored_responses
                FROM (
                    SELECT secret_key_id AS key_id, 1 AS kind FROM webhook WHERE deleted_at IS NULL
                    UNION ALL
                    SELECT previous_secret_key_id, 2 FROM webhook WHERE deleted_at IS NULL
                    UNION ALL
                    SELECT secret_key_id, 3 FROM idempotent_response
                    WHERE created_at > now() - make_interval(secs => ?)) AS secret
                WHERE key_id IS NOT NULL
                GROUP BY key_id ORDER BY key_id LIMIT ?
                """;

        static List<KeyCount> list(Sql sql) throws SQLException {
            return sql.list(KeyCount::read, LIST, Idempotent.RETENTION.toSeconds(), MAX_KEYS);
        }

        private static KeyCount read(ResultSet row) throws SQLException {
            return new KeyCount(
                    row.getString("key_id"),
                    row.getLong("webhook_secrets"),
                    row.getLong("previous_secrets"),
                    row.getLong("stored_responses"));
        }
    }
}
