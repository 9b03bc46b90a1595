package dev.okr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Answer;
import dev.okr.testing.Api;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Json;
import dev.okr.testing.OpenApiDocument;
import dev.okr.testing.OpenApiDocument.Operation;
import io.quarkus.test.junit.QuarkusTest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What holds for every operation, walked over all operations of the document that the service serves: who adds an
 * operation has it tested here, or is told what this test needs to know of it.
 */
@QuarkusTest
class EveryOperationTest extends HttpTest {
    private static final int LEAST_OPERATIONS = 37;

    private List<Operation> operations;
    /** The ids of things of the test's own organisation, by the collection in which a path names them. */
    private Map<String, String> ids;

    @BeforeEach
    void createOneOfEach() {
        operations = OpenApiDocument.of(service).operations();
        assertThat(operations).hasSizeGreaterThanOrEqualTo(LEAST_OPERATIONS);
        var team = acme.team("Growth");
        acme.join(team, acme.memberUser(), "lead");
        var cycle = newCycle();
        var objective = newObjective(cycle);
        var keyResult = newKeyResult(objective, 0, 10);
        var webhook = newWebhook();
        ids = new HashMap<>(Map.of(
                "teams", team.id(),
                "users", acme.memberUser().id(),
                "cycles", cycle,
                "objectives", objective,
                "key-results", keyResult,
                "check-ins", newCheckIn(keyResult, 5),
                "alignments", newAlignment(objective, newObjective(cycle)),
                "webhooks", webhook,
                "deliveries", newDelivery(webhook)));
    }

    @Test
    void without_a_key_nothing_is_answered() {
        for (var operation : operations) {
            send(stranger(), operation, "").isProblem(401, "unauthenticated");
            send(stranger().with("okr_unknown"), operation, "").isProblem(401, "unauthenticated");
        }
    }

    @Test
    void another_organisation_finds_nothing_behind_these_ids() {
        var before = everything();
        var other = organization().admin();
        for (var operation : operations) {
            var answer = send(other, operation, "");
            if (operation.path().contains("{")) {
                answer.isNotFound();
            } else if (operation.method().equals("GET")) {
                answer.is(200);
                revealsNothing(answer);
            } else if (operation.hasReferences()) {
                answer.isProblem(422, "validation_failed");
            }
        }
        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void another_organisation_filters_by_these_ids_in_vain() {
        var other = organization().admin();
        for (var operation : operations) {
            for (var filter : operation.filters()) {
                if (!operation.path().contains("{") && filter.endsWith("_id")) {
                    var answer = send(other, operation, "?" + filter + "=" + reference(filter));
                    assertThat(answer.is(200).ids()).as(answer::toString).isEmpty();
                    assertThat(answer.meta().get("total").intValue()).isZero();
                }
            }
        }
    }

    @Test
    void an_unknown_query_parameter_is_malformed_and_nothing_is_done() {
        var before = everything();
        for (var operation : operations) {
            send(admin, operation, "?unknown=1").isMalformed();
            send(admin, operation, "?unknown").isMalformed();
        }
        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void without_the_scope_nothing_is_done() {
        for (var operation : operations) {
            boolean ofWebhooks = operation.path().matches("/v1/(webhooks|events).*");
            var wrong = ofWebhooks
                    ? acme.scoped("read", "write")
                    : acme.scoped(operation.method().equals("GET") ? "write" : "read", "webhooks");
            send(wrong, operation, "").isProblem(403, "insufficient_scope");
        }
    }

    @Test
    void a_viewer_changes_nothing() {
        for (var operation : operations) {
            if (!operation.method().equals("GET")) {
                send(viewer, operation, "").isProblem(403, "forbidden");
            }
        }
    }

    @Test
    void without_the_plan_nothing_is_done() {
        var poor = organization("team").admin();
        for (var operation : operations) {
            send(poor, operation, "").isProblem(403, "plan_required");
        }
    }

    @Test
    void a_body_must_be_json() {
        for (var operation : operations) {
            if (operation.bodyFields() != null) {
                var path = path(operation);
                admin.send(operation.method(), path, "{").isMalformed();
                admin.header("Content-Type", "text/plain")
                        .send(operation.method(), path, "{}")
                        .isProblem(415, "unsupported_media_type");
                admin.send(operation.method(), path, "{\"unknown\":1}").isProblem(422, "validation_failed");
            }
        }
    }

    @Test
    void what_accepts_no_json_is_not_served() {
        for (var operation : operations) {
            send(admin.header("Accept", "text/html"), operation, "").isProblem(406, "not_acceptable");
        }
    }

    private Answer send(Api api, Operation operation, String query) {
        return api.send(operation.method(), path(operation) + query, body(operation));
    }

    /** The operation's path, with the ids of existing things in it. */
    private String path(Operation operation) {
        var path = operation.path();
        while (path.contains("{")) {
            var before = path.substring(0, path.indexOf("/{"));
            var collection = before.substring(before.lastIndexOf('/') + 1);
            assertThat(ids)
                    .as("this test needs one of the %s for %s", collection, operation)
                    .containsKey(collection);
            path = path.replaceFirst("\\{[^}]*}", String.valueOf(ids.get(collection)));
        }
        return path;
    }

    /** A body that refers to existing things wherever the operation's schema lets it; null when it takes none. */
    private @Nullable Object body(Operation operation) {
        var fields = operation.bodyFields();
        if (fields == null) {
            return null;
        }
        var body = Json.object();
        fields.forEach((name, example) -> body.put(name, name.endsWith("_id") ? reference(name) : example));
        return body;
    }

    /** The id of the existing thing that a field or filter refers to. */
    private String reference(String name) {
        return switch (name) {
            case "cycle_id" -> String.valueOf(ids.get("cycles"));
            case "team_id" -> String.valueOf(ids.get("teams"));
            case "owner_id" -> String.valueOf(ids.get("users"));
            case "objective_id", "parent_objective_id", "child_objective_id", "resource_id" ->
                String.valueOf(ids.get("objectives"));
            default -> throw new AssertionError("this test needs to know what " + name + " refers to");
        };
    }

    private void revealsNothing(Answer answer) {
        ids.values().forEach(id -> assertThat(answer.text()).doesNotContain(id));
    }

    /** All that the organisation's admin sees. */
    private Map<String, String> everything() {
        var seen = new HashMap<String, String>();
        for (var operation : operations) {
            if (operation.method().equals("GET")) {
                var path = path(operation);
                seen.put(path, admin.get(path).text());
            }
        }
        return seen;
    }
}
