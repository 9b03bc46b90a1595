package dev.okr.commands;

import dev.okr.encryption.SecretBox;
import java.sql.SQLException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The secrets of webhooks at rest. */
@Command(
        name = "webhook-secrets",
        description = "Changes the key that webhook secrets are encrypted with.",
        subcommands = WebhookSecretsCommand.RotateKey.class)
final class WebhookSecretsCommand {

    /** Can be run at any time and any number of times, while replicas serve. */
    @Command(
            name = "rotate-key",
            description = {
                "Encrypts under OKR_ENCRYPTION_KEY what is still encrypted under another key.",
                "The other keys are those of OKR_ENCRYPTION_KEYS_PREVIOUS. Replicas may go on serving, if they know"
                        + " both keys."
            })
    static final class RotateKey extends DatabaseCommand {
        @Option(names = "--check", description = "Change nothing; only count, by the id of the key.")
        boolean check;

        @Override
        void run(Operations operations) throws Exception {
            operations.requireEncryptionKey();
            if (check) {
                print(counts(operations));
                return;
            }
            var result = operations.secretRotation().run();
            print(counts(operations));
            report(result);
        }

        private void report(SecretRotation.Result result) {
            say(
                    "Encrypted anew: %d webhook secrets, %d previous webhook secrets, %d kept responses. Forgotten: %d expired."
                            .formatted(
                                    result.webhookSecrets(),
                                    result.previousSecrets(),
                                    result.keptResponses(),
                                    result.expiredSecrets()));
            if (!result.failedKeyIds().isEmpty()) {
                throw new CommandFailure("Some secrets could not be decrypted, of the keys: "
                        + String.join(", ", result.failedKeyIds())
                        + ". Are these among OKR_ENCRYPTION_KEYS_PREVIOUS?");
            }
            if (result.busy()) {
                throw new CommandFailure("Some secrets are held by others. Run the command again.");
            }
        }

        private static Table counts(Operations operations) throws SQLException {
            var table = new Table("KEY ID", "KEY", "WEBHOOK SECRETS", "PREVIOUS SECRETS", "KEPT RESPONSES");
            for (var count : operations.transaction(KeyCount::list)) {
                table.add(
                        count.keyId(),
                        standing(operations.secretBox(), count.keyId()),
                        count.webhookSecrets(),
                        count.previousSecrets(),
                        count.keptResponses());
            }
            return table;
        }

        private static String standing(SecretBox secretBox, String keyId) {
            if (secretBox.currentKeyId().filter(keyId::equals).isPresent()) {
                return "current";
            }
            return secretBox.knows(keyId) ? "previous" : "missing";
        }
    }
}
