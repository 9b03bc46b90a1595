package dev.okr.operations.commands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.okr.organizations.User;
import dev.okr.organizations.UserWriter;
import dev.okr.platform.errors.Failure;
import dev.okr.testing.Answer;
import dev.okr.testing.Api;
import dev.okr.testing.Events;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Json;
import dev.okr.testing.Receiver;
import dev.okr.testing.TestDatabase;
import dev.okr.testing.TestOrganization.TestUser;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The effects of commands. {@link CommandsIT} tests their start and end. */
@QuarkusTest
class CommandTest extends HttpTest {
    private static final String ME = "/v1/users/me";
    private static final Duration MAX_REVOCATION = Duration.ofSeconds(5);
    private static final Duration MAX_WAIT = Duration.ofSeconds(20);

    /**
     * Threads with the class loader of the test, which the service needs to find its configuration. Threads of the
     * common pool have another one.
     */
    private static final Executor THREADS = task -> Thread.ofPlatform().start(task);

    @Inject
    Operations operations;

    private StringWriter output = new StringWriter();
    private StringWriter errors = new StringWriter();

    @Test
    void the_plan_of_an_organisation_can_be_changed() throws Exception {
        var slug = "acme-" + acme.id();

        run("organization", "set-plan", slug, "team");
        assertThat(errors.toString()).isEqualTo(slug + " has the plan team, before business.\n");
        run("organization", "set-plan", slug, "team");
        assertThat(errors.toString()).isEqualTo(slug + " has the plan team already.\n");

        run("organization", "list");
        assertThat(row(slug)).contains("Acme Corp", "team", "  3  ");
        assertThat(audited("organization_plan_changed")).isOne();
        assertThatThrownBy(() -> run("organization", "set-plan", "no-such", "team"))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("no-such");
    }

    @Test
    void the_spreadsheet_of_the_guide_can_be_imported_and_exported(@TempDir Path folder) throws Exception {
        var slug = "acme-" + acme.id();
        var examples = Path.of("docs/examples/spreadsheet");
        var csv = Files.writeString(
                folder.resolve("okrs.csv"),
                Files.readString(examples.resolve("okrs.csv"))
                        .replace("ada@acme.test", acme.adminUser().email())
                        .replace("grace@acme.test", acme.memberUser().email()));
        var mapping = examples.resolve("mapping.yaml").toString();

        run("import", "csv", "--organization", slug, "--mapping", mapping, "--dry-run", csv.toString());
        assertThat(errors.toString()).contains("Nothing was written", "16 created, 0 changed, 0 unchanged.");
        run("import", "csv", "--organization", slug, "--mapping", mapping, csv.toString());
        assertThat(errors.toString()).isEqualTo("16 created, 0 changed, 0 unchanged.\n");
        run("import", "csv", "--organization", slug, "--mapping", mapping, csv.toString());
        assertThat(errors.toString()).isEqualTo("0 created, 0 changed, 16 unchanged.\n");

        var objectives = acme.viewer().get("/v1/objectives?q=trust").is(200).data();
        assertThat(objectives.get(0).get("progress").decimalValue()).isEqualByComparingTo("0.555");
        assertThat(objectives.get(0).get("status").asText()).isEqualTo("on_track");
        var output = folder.resolve("acme.ndjson.gz").toString();
        run("export", "--organization", slug, "--output", output);
        assertThat(errors.toString()).isEqualTo("Exported 20 lines.\n");
        run("import", "--organization", slug, output);
        assertThat(errors.toString()).isEqualTo("0 created, 0 changed, 19 unchanged.\n");
        assertThat(audited("organization_data_imported")).isOne();

        Files.writeString(csv, Files.readString(csv).replace("On track", "Fine"));
        assertThatThrownBy(() -> run("import", "csv", "--organization", slug, "--mapping", mapping, csv.toString()))
                .isInstanceOf(CommandFailure.class)
                .hasMessage("1 lines have errors. Nothing was written.");
        assertThat(errors.toString()).startsWith("row 2 /data/status: ");

        Files.write(csv, new byte[] {'N', 'a', 'm', 'e', '\n', (byte) 0xFC});
        assertThatThrownBy(() -> run("import", "csv", "--organization", slug, "--mapping", mapping, csv.toString()))
                .hasMessage(csv + " is not UTF-8. Save it as \"CSV UTF-8\".");
        assertThatThrownBy(() -> run("import", "csv", "--organization", slug, "--mapping", "no.yaml", csv.toString()))
                .hasMessage("no.yaml cannot be read.");
    }

    @Test
    void a_slug_can_be_used_once() {
        assertThatThrownBy(() -> run("organization", "create", "--slug", "acme-" + acme.id(), "--name", "Acme"))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("already");
    }

    @Test
    void a_key_is_listed_and_rejected_within_five_seconds_of_its_revocation() throws Exception {
        run("key", "create", "--user", acme.memberUser().email().toUpperCase(), "--name", "ci", "--scopes", "read");
        var client = stranger().with(output.toString().strip());
        client.get(ME).is(200);
        var id = errors.toString().split(" ")[1];

        run("key", "list", "--user", acme.memberUser().email());
        assertThat(row(id)).contains("acme-" + acme.id(), "  ci  ", "  read  ", "valid");

        run("key", "revoke", id);
        assertThat(errors.toString()).isEqualTo(id + " is revoked.\n");
        awaitRefusal(client);
        run("key", "list", "--organization", "acme-" + acme.id());
        assertThat(row(id)).contains("revoked");
        run("key", "revoke", id);
        assertThat(errors.toString()).isEqualTo(id + " is already revoked.\n");
        assertThat(audited("api_key_revoked")).isOne();
    }

    @Test
    void keys_of_an_unknown_organisation_or_user_are_an_error() {
        assertThatThrownBy(() -> run("key", "list", "--organization", "nosuch"))
                .isInstanceOf(CommandFailure.class)
                .hasMessage("There is no organisation with the slug nosuch.");
        assertThatThrownBy(() -> run("key", "list", "--user", "nosuch@acme.test"))
                .isInstanceOf(CommandFailure.class)
                .hasMessage("There is no user with the email address nosuch@acme.test.");
        assertThat(output.toString()).isEmpty();
    }

    @Test
    void a_user_is_created_once_and_listed() throws Exception {
        var slug = "acme-" + acme.id();
        var email = "new@" + slug + ".test";
        var create = new String[] {
            "user", "create", "--organization", slug, "--email", email, "--name", "Ada King", "--role", "viewer"
        };

        run(create);
        var id = errors.toString().split(" ")[3];
        assertThat(errors.toString()).endsWith(" with the role viewer in the organisation " + slug + ".\n");
        run("user", "list", "--organization", slug);

        assertThat(row(id)).contains("  Ada King  ", "  " + email + "  ", "  viewer  ", "  active");
        assertThat(audited("user_invited")).isOne();
        assertThatThrownBy(() -> run(create))
                .isInstanceOf(Failure.class)
                .extracting(failure -> CommandFailure.reason(failure))
                .isEqualTo("This email address already belongs to a user.");
        assertThatThrownBy(() -> run("user", "list", "--organization", "nosuch"))
                .isInstanceOf(CommandFailure.class);
    }

    @Test
    void deactivated_users_get_no_key() {
        TestDatabase.execute(
                "UPDATE users SET deactivated_at = now() WHERE id = ?",
                acme.viewerUser().uuid());
        long keys = keys(acme.viewerUser());

        assertThatThrownBy(
                        () -> run("key", "create", "--user", acme.viewerUser().email(), "--name", "ci"))
                .isInstanceOf(Failure.class)
                .extracting(failure -> CommandFailure.reason(failure))
                .isEqualTo("This user is deactivated.");

        assertThat(output.toString()).isEmpty();
        assertThat(keys(acme.viewerUser())).isEqualTo(keys);
    }

    @Test
    void an_erasure_waits_for_a_key_that_is_being_created() throws Exception {
        var person = acme.memberUser();
        var looked = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        var key = CompletableFuture.runAsync(() -> holdActive(person, looked, goOn), THREADS);
        assertThat(looked.await(MAX_WAIT.toSeconds(), TimeUnit.SECONDS)).isTrue();

        var erasure = CompletableFuture.runAsync(() -> erase(person), THREADS);
        Thread.sleep(Duration.ofMillis(500));
        assertThat(erasure).isNotDone();
        goOn.countDown();

        key.get(MAX_WAIT.toSeconds(), TimeUnit.SECONDS);
        erasure.get(MAX_WAIT.toSeconds(), TimeUnit.SECONDS);
        assertThat(TestDatabase.count(
                        "SELECT count(*) FROM users WHERE id = ? AND erased_at IS NOT NULL", person.uuid()))
                .isOne();
    }

    @Test
    void an_erasure_and_an_organisation_file_lock_rows_in_the_same_order() throws Exception {
        var locked = new CountDownLatch(1);
        var file = CompletableFuture.runAsync(() -> lockAsTheOrganisationFile(locked), THREADS);
        assertThat(locked.await(MAX_WAIT.toSeconds(), TimeUnit.SECONDS)).isTrue();

        // The user is not an admin, so the admin check does not lock the organisation.
        erase(acme.memberUser());

        file.get(MAX_WAIT.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void an_erased_user_leaves_all_teams() throws Exception {
        var platform = acme.team("Platform");
        acme.join(platform, acme.memberUser(), "lead");
        acme.join(platform, acme.viewerUser(), "member");

        erase(acme.memberUser());

        assertThat(TestDatabase.count("SELECT count(*) FROM team_member WHERE team_id = ?", platform.uuid()))
                .isOne();
        assertThat(TestDatabase.count(
                        """
                        SELECT count(*) FROM audit_entry WHERE organization_id = ? AND actor = 'operator'
                            AND action = 'team_member_removed' AND subject_id = ? AND detail = ?
                        """, acme.id(), platform.id(), acme.memberUser().id()))
                .isOne();
        awaitRefusal(member);
    }

    @Test
    void the_events_and_stored_responses_of_an_erased_user_lose_the_name_and_the_address() throws Exception {
        var events = new Events(service, admin);
        var email = UUID.randomUUID() + "@acme.test";
        var body = Map.of("email", email, "name", "Mary Jackson", "role", "member");
        var repeatable = admin.header("Idempotency-Key", "invite");
        var user = repeatable.post("/v1/users", body).is(201);
        admin.put("/v1/users/" + user.id(), Map.of("name", "Mary Winston")).is(200);
        run("user", "erase", email, "--yes");

        var told = events.next();
        assertThat(told).extracting(Events.Event::type).containsExactly("user.created", "user.updated", "user.updated");
        var erased = viewer.get("/v1/users/" + user.id()).is(200).data();
        assertThat(told.getLast())
                .isEqualTo(new Events.Event(
                        "user.updated", erased, Json.tree(Json.object("active", true, "name", "")), null));
        assertThat(TestDatabase.count(
                        "SELECT count(*) FROM event WHERE organization_id = ? AND (payload LIKE '%Mary%' OR payload LIKE ?)",
                        acme.id(), '%' + email + '%'))
                .isZero();
        repeatable.post("/v1/users", body).isProblem(409, "conflict");
        assertStoredResponsesAreErased(1);
        repeatable
                .post("/v1/users", Map.of("email", email, "name", "Mary", "role", "member"))
                .isProblem(422, "idempotency_mismatch");
        assertThat(TestDatabase.count("SELECT count(*) FROM users WHERE email = ?", email))
                .isZero();
    }

    @Test
    void a_repeated_request_of_an_erased_user_is_not_executed() throws Exception {
        var repeatable = member.header("Idempotency-Key", "objective");
        var body = Map.of("title", "Written by the user", "cycle_id", newCycle());
        repeatable.post("/v1/objectives", body).is(201);
        erase(acme.memberUser());

        assertStoredResponsesAreErased(1);
        // The key may be valid for a moment, because replicas cache it.
        assertThat(repeatable.post("/v1/objectives", body).status()).isIn(401, 403, 409);
        assertThat(admin.get("/v1/objectives?q=Written").is(200).ids()).hasSize(1);
    }

    private void assertStoredResponsesAreErased(int rows) {
        assertThat(TestDatabase.count("""
                        SELECT count(*) FROM idempotent_response WHERE organization_id = ?
                            AND status = 409 AND body = '' AND location IS NULL AND etag IS NULL
                        """, acme.id())).isEqualTo(rows);
        assertThat(TestDatabase.count("SELECT count(*) FROM idempotent_response WHERE organization_id = ?", acme.id()))
                .isEqualTo(rows);
    }

    @Test
    void the_responses_to_the_events_of_an_erased_user_are_removed() throws Exception {
        var email = UUID.randomUUID() + "@acme.test";
        var late = new CountDownLatch(1);
        try (var receiver = Receiver.start().answer(request -> echo(request, late))) {
            var webhook = admin.post("/v1/webhooks", Json.object("url", receiver.url("/"), "events", List.of("*")))
                    .is(201);
            var user = admin.post("/v1/users", Map.of("email", email, "name", "Mary Jackson", "role", "member"))
                    .is(201);
            await(() -> responses(webhook).toString().contains(email), () -> "the response to the first event");
            newCycle();
            admin.put("/v1/users/" + user.id(), Map.of("name", "Mary Winston")).is(200);
            receiver.await(3);
            await(() -> responses(webhook).size() == 2, () -> "the response to the cycle");

            run("user", "erase", email, "--yes");
            assertThat(responses(webhook))
                    .anyMatch(response -> response.contains("cycle.created"))
                    .noneMatch(response -> response.contains("Mary") || response.contains(email));

            // The response to a request that was in flight during the erasure.
            late.countDown();
            await(() -> succeeded(webhook) == 4, () -> "all deliveries");
            assertThat(responses(webhook))
                    .hasSize(2)
                    .anyMatch(response -> response.contains(UserWriter.ERASED_NAME))
                    .noneMatch(response -> response.contains("Mary") || response.contains(email));
            admin.delete("/v1/webhooks/" + webhook.id()).is(200);
        } finally {
            late.countDown();
        }
    }

    @Test
    void the_check_of_keys_fails_while_a_key_other_than_the_current_one_is_in_use() {
        TestDatabase.execute("""
                INSERT INTO webhook (organization_id, id, url, events, active, secret_key_id, secret_ciphertext,
                    created_at, updated_at)
                VALUES (?, gen_random_uuid(), 'https://hooks.test', ARRAY ['*'], false, '0badc0de', '', now(), now())
                """, acme.id());
        try {
            // Other tests use their own keys in the same database.
            assertThatThrownBy(() -> run("webhook-secrets", "rotate-key", "--check"))
                    .isInstanceOf(CommandFailure.class)
                    .hasMessageMatching("Keys other than the current one are still in use: (.*, )?0badc0de(, .*)?\\.");
            assertThat(row("0badc0de")).contains("  missing  ");

            assertThatThrownBy(() -> run("webhook-secrets", "rotate-key"))
                    .isInstanceOf(CommandFailure.class)
                    .hasMessageMatching("Keys are missing in OKR_ENCRYPTION_KEYS_PREVIOUS: (.*, )?0badc0de(, .*)?\\.");
        } finally {
            TestDatabase.execute("DELETE FROM webhook WHERE organization_id = ?", acme.id());
        }
    }

    @Test
    void the_last_active_admin_is_not_erased() {
        assertThatThrownBy(() -> run("user", "erase", acme.adminUser().email(), "--yes"))
                .isInstanceOf(Failure.class)
                .extracting(failure -> CommandFailure.reason(failure))
                .isEqualTo("The organisation needs another active admin first.");
    }

    @Test
    void an_imported_erased_user_does_not_prevent_an_erasure() {
        var person = acme.memberUser();
        importUser("", person.uuid() + "@erased.invalid");
        erase(person);
    }

    @Test
    void the_files_of_dry_runs_are_deleted_with_an_erasure() {
        var person = acme.memberUser();
        importUser("?dry_run=true", person.email());
        assertThat(piecesWith(person.email())).isOne();
        erase(person);
        assertThat(piecesWith(person.email())).isZero();
    }

    private long piecesWith(String text) {
        return TestDatabase.count(
                "SELECT count(*) FROM import_piece WHERE position(convert_to(?, 'UTF8') IN content) > 0", text);
    }

    private void importUser(String query, String email) {
        var data = Json.object("email", email, "name", "Erased user", "role", "viewer");
        var file = Json.write(Json.object("type", "user", "data", data)).getBytes(StandardCharsets.UTF_8);
        var imported = admin.header("Content-Type", "application/x-ndjson").post("/v1/imports" + query, file);
        await(
                () -> admin.get("/v1/imports/" + imported.id()).text("status").equals("succeeded"),
                () -> "the end of the import");
    }

    @Test
    void an_email_address_can_be_used_again_after_an_erasure() throws Exception {
        var email = acme.memberUser().email();
        erase(acme.memberUser());

        var slug = "next-" + UUID.randomUUID();
        run("organization", "create", "--slug", slug, "--name", "N", "--admin-email", email, "--admin-name", "Ada");

        assertThat(errors.toString()).contains(slug, email);
    }

    private void erase(TestUser person) {
        try {
            run("user", "erase", person.email(), "--yes");
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        assertThat(errors.toString()).contains(person.id()).doesNotContain(person.email());
    }

    /** Returns the body of the request. A request with the new name of the user is answered only after a signal. */
    private static Receiver.Reply echo(Receiver.Received request, CountDownLatch late) {
        if (request.text().contains("Mary Winston")) {
            await(late);
        }
        return Receiver.Reply.status(200).body(request.body());
    }

    /** The responses that the API shows for the deliveries of a webhook. */
    private List<String> responses(Answer webhook) {
        var deliveries = "/v1/webhooks/" + webhook.id() + "/deliveries";
        return admin.get(deliveries).is(200).ids().stream()
                .flatMap(id -> admin.get(deliveries + '/' + id).is(200).data().findValuesAsText("response").stream())
                .toList();
    }

    private int succeeded(Answer webhook) {
        return admin.get("/v1/webhooks/" + webhook.id() + "/deliveries?status=succeeded")
                .is(200)
                .ids()
                .size();
    }

    private void holdActive(TestUser person, CountDownLatch looked, CountDownLatch goOn) {
        try {
            operations.change(acme.id(), change -> {
                User.requireActive(person.uuid());
                looked.countDown();
                await(goOn);
                return person;
            });
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Locks the organisation first and then the user. */
    private void lockAsTheOrganisationFile(CountDownLatch locked) {
        try {
            operations.transaction(sql -> {
                sql.first(row -> true, "SELECT 1 FROM organization WHERE id = ? FOR NO KEY UPDATE", acme.id());
                locked.countDown();
                sql.first(row -> true, "SELECT 1 FROM pg_sleep(0.5)");
                return sql.first(
                        row -> true,
                        "/* all organizations */ SELECT 1 FROM users WHERE id = ? FOR NO KEY UPDATE NOWAIT",
                        acme.memberUser().uuid());
            });
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await(MAX_WAIT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Runs a command on another thread, as in another process. */
    private void run(String... arguments) throws Exception {
        output = new StringWriter();
        errors = new StringWriter();
        var commands =
                CommandLineTool.commands().setOut(new PrintWriter(output, true)).setErr(new PrintWriter(errors, true));
        var parsed = commands.parseArgs(arguments);
        while (parsed.hasSubcommand()) {
            parsed = parsed.subcommand();
        }
        var command = (DatabaseCommand) parsed.commandSpec().userObject();
        try {
            CompletableFuture.supplyAsync(() -> failure(command), THREADS)
                    .get(MAX_WAIT.toSeconds(), TimeUnit.SECONDS)
                    .throwIfAny();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private Ended failure(DatabaseCommand command) {
        try {
            command.run(operations);
            return new Ended(null);
        } catch (Exception e) {
            return new Ended(e);
        }
    }

    private record Ended(Exception failure) {

        void throwIfAny() throws Exception {
            if (failure != null) {
                throw failure;
            }
        }
    }

    private String row(String word) {
        return output.toString()
                .lines()
                .filter(line -> line.contains(word))
                .findFirst()
                .orElseThrow();
    }

    private long audited(String action) {
        return TestDatabase.count(
                "SELECT count(*) FROM audit_entry WHERE organization_id = ? AND actor = 'operator' AND action = ?",
                acme.id(),
                action);
    }

    private static long keys(TestUser user) {
        return TestDatabase.count("SELECT count(*) FROM api_key WHERE user_id = ?", user.uuid());
    }

    private static void awaitRefusal(Api api) throws InterruptedException {
        var deadline = Instant.now().plus(MAX_REVOCATION);
        var answer = api.get(ME);
        while (answer.status() == 200 && Instant.now().isBefore(deadline)) {
            Thread.sleep(Duration.ofMillis(200));
            answer = api.get(ME);
        }
        answer.isProblem(401, "unauthenticated");
    }
}
