package dev.okr.access;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Api;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.RawHttp;
import dev.okr.testing.Requests;
import io.quarkus.test.junit.QuarkusTest;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The required scope and role of every operation. */
@QuarkusTest
class AccessTest extends HttpTest {
    private List<Operation> reading;
    private List<Operation> writing;
    private List<Operation> administering;

    /** An operation on resources that exist. */
    private record Operation(
            String method, String path, @Nullable Object body) {
        void allows(Api api) {
            assertThat(api.send(method, path, body).status()).as(toString()).isIn(200, 201);
        }

        void refuses(Api api, String code) {
            api.send(method, path, body).isProblem(403, code);
        }
    }

    @BeforeEach
    void listOperations() {
        var cycle = newCycle();
        var team = acme.team("Growth").id();
        var objective = newObjective(cycle);
        var keyResult = newKeyResult(objective, 0, 10);
        var checkIn = newCheckIn(keyResult, 5);
        newAlignment(objective, newObjective(cycle));
        reading = List.of(
                new Operation("GET", "/v1/users/me", null),
                new Operation("GET", "/v1/users", null),
                new Operation("GET", "/v1/teams", null),
                new Operation("GET", "/v1/teams/" + team, null),
                new Operation("GET", "/v1/teams/" + team + "/objectives", null),
                new Operation("GET", "/v1/cycles", null),
                new Operation("GET", "/v1/cycles/" + cycle, null),
                new Operation("GET", "/v1/objectives", null),
                new Operation("HEAD", "/v1/objectives", null),
                new Operation("GET", Paths.objective(objective), null),
                new Operation("GET", Paths.keyResults(objective), null),
                new Operation("GET", Paths.keyResult(objective, keyResult), null),
                new Operation("GET", Paths.checkIns(keyResult), null),
                new Operation("GET", "/v1/alignments", null));
        writing = List.of(
                new Operation("POST", "/v1/objectives", Requests.objective(cycle)),
                new Operation("PUT", Paths.objective(objective), object("title", "Changed")),
                new Operation("POST", Paths.keyResults(objective), Requests.keyResult(0, 1)),
                new Operation("PUT", Paths.keyResult(objective, keyResult), object("title", "Changed")),
                new Operation("POST", Paths.checkIns(keyResult), Requests.checkIn(6)),
                new Operation("PUT", Paths.checkIn(keyResult, checkIn), object("note", "Changed")));
        administering = List.of(
                new Operation("POST", "/v1/cycles", Requests.cycle()),
                new Operation("PUT", "/v1/cycles/" + cycle, object("name", "Changed")),
                new Operation("PATCH", "/v1/cycles/" + cycle, object("name", "Changed")),
                new Operation("PUT", "/v1/teams/" + team, object("name", "Changed")),
                new Operation(
                        "PUT",
                        "/v1/teams/" + team + "/members/" + acme.memberUser().id(),
                        object("role", "lead")),
                new Operation(
                        "PATCH",
                        "/v1/teams/" + team + "/members/" + acme.memberUser().id(),
                        object("role", "member")),
                new Operation("PATCH", "/v1/users/" + acme.memberUser().id(), object("name", "Changed")));
    }

    @Test
    void viewers_read_members_write_and_admins_do_everything() {
        for (var operation : reading) {
            operation.allows(viewer);
            operation.allows(member);
            operation.allows(admin);
        }
        for (var operation : writing) {
            operation.refuses(viewer, "forbidden");
            operation.allows(member);
            operation.allows(admin);
        }
        for (var operation : administering) {
            operation.refuses(viewer, "forbidden");
            operation.refuses(member, "forbidden");
            operation.allows(admin);
        }
    }

    @Test
    void only_admins_use_webhooks_and_events() {
        for (var path : List.of("/v1/webhooks", "/v1/webhooks/wh_x", "/v1/events")) {
            viewer.get(path).isProblem(403, "forbidden");
            member.get(path).isProblem(403, "forbidden");
            member.post(path, object()).isProblem(403, "forbidden");
            member.delete(path).isProblem(403, "forbidden");
        }
    }

    @Test
    void a_key_with_the_scope_read_only_reads() {
        var api = acme.scoped("read");
        reading.forEach(operation -> operation.allows(api));
        writing.forEach(operation -> operation.refuses(api, "insufficient_scope"));
        administering.forEach(operation -> operation.refuses(api, "insufficient_scope"));
        api.get("/v1/webhooks").isProblem(403, "insufficient_scope");
    }

    @Test
    void a_key_with_the_scope_write_only_writes() {
        var api = acme.scoped("write");
        for (var operation : reading) {
            if (operation.method().equals("GET")) {
                operation.refuses(api, "insufficient_scope");
            }
        }
        writing.forEach(operation -> operation.allows(api));
        administering.forEach(operation -> operation.allows(api));
        api.post("/v1/webhooks", object()).isProblem(403, "insufficient_scope");
    }

    @Test
    void a_key_with_the_scope_webhooks_only_uses_webhooks_and_events() {
        var api = acme.scoped("webhooks");
        for (var operation : reading) {
            if (operation.method().equals("GET")) {
                operation.refuses(api, "insufficient_scope");
            }
        }
        writing.forEach(operation -> operation.refuses(api, "insufficient_scope"));
        administering.forEach(operation -> operation.refuses(api, "insufficient_scope"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/webhooks",
                "/v1/webhooks/",
                "//v1/webhooks",
                "/v1//webhooks",
                "/v1/./webhooks",
                "/v1/x/../webhooks",
                "/v1/%77ebhooks",
                "/v1/%2e/webhooks",
                "/v1/x/%2e%2e/webhooks",
                "/v1/webhooks;x=y",
                "/v1;x=y/webhooks",
                "/v1/;x/webhooks",
                "/v1/;/webhooks",
                "/;/v1/webhooks",
                "/v1/webhooks;/",
                "/v1/webhooks/;x",
                "/v1%2Fwebhooks",
                "/v1%2Fwebhooks;x",
                "/v1/webhooks%2F;x",
                "/v1/webhooks%2f;",
                "/v1/webhooks%2F%3Bx",
                "/settings/../v1%2fwebhooks;",
                "/v1/objectives/..;/webhooks",
                "/v1/objectives/%2e%2e%2fwebhooks",
                "/V1/webhooks",
                "/v1/WEBHOOKS",
                "http://localhost/v1/webhooks"
            })
    void no_spelling_of_a_path_bypasses_its_permission(String path) {
        var members = acme.key(acme.memberUser().uuid());
        var noKey = "okr_none";
        for (var token : List.of(members, noKey)) {
            var answer = RawHttp.send(
                    service,
                    "GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n"
                            .formatted(path, token));
            assertThat(answer).matches("(?s)HTTP/1.1 (400|401|403|404) .*").doesNotContain("\"data\"");
        }
    }

    @Test
    void a_rejection_names_the_missing_scope_or_role() {
        assertThat(acme.scoped("read").post("/v1/objectives", object()).detail())
                .contains("write");
        assertThat(member.post("/v1/cycles", object()).detail()).contains("admin");
    }
}
