package dev.okr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Answer;
import dev.okr.testing.Api;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Json;
import dev.okr.testing.OpenApiDocument;
import dev.okr.testing.OpenApiDocument.Operation;
import dev.okr.testing.Paths;
import io.quarkus.test.junit.QuarkusTest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Rules for every operation in the served OpenAPI document. A new operation is tested automatically, or the test
 * reports which id it needs.
 */
@QuarkusTest
class EveryOperationTest extends HttpTest {
    private static final int LEAST_OPERATIONS = 60;
    private static final String EXTERNAL_ID = "an-id-of-another-system";

    private List<Operation> operations;
    /** The ids of resources of the test's organisation, by their collection in the path. */
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
        for (var path : List.of(
                "/v1/cycles/" + cycle,
                Paths.objective(objective),
                "/v1/key-results/" + keyResult,
                Paths.checkIn(keyResult, ids.get("check-ins")),
                "/v1/teams/" + team.id())) {
            admin.put(path, Json.object("external_id", EXTERNAL_ID)).is(200);
        }
        ids.put("members", acme.memberUser().id());
        ids.put("imports", newImport());
        ids.put("deleted-objectives", newObjective(cycle));
        admin.delete("/v1/objectives/" + ids.get("deleted-objectives")).is(200);
    }

    @Test
    void every_operation_requires_a_key() {
        for (var operation : operations) {
            send(stranger(), operation, "").isProblem(401, "unauthenticated");
            send(stranger().with("okr_unknown"), operation, "").isProblem(401, "unauthenticated");
        }
    }

    @Test
    void another_organisation_does_not_find_the_resources() {
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
    void another_organisation_finds_nothing_with_these_ids_as_filters() {
        var other = organization().admin();
        for (var operation : operations) {
            for (var filter : operation.filters()) {
                if (!operation.path().contains("{") && !isExport(operation) && filter.endsWith("_id")) {
                    var answer = send(other, operation, "?" + filter + "=" + reference(filter));
                    assertThat(answer.is(200).ids()).as(answer::toString).isEmpty();
                    assertThat(answer.meta().get("total").intValue()).isZero();
                    if (filter.equals("external_id")) {
                        var found = send(viewer, operation, "?external_id=" + EXTERNAL_ID);
                        assertThat(found.is(200).ids()).as(found::toString).hasSize(1);
                    }
                }
            }
        }
    }

    @Test
    void an_unknown_query_parameter_is_malformed_and_changes_nothing() {
        var before = everything();
        for (var operation : operations) {
            send(admin, operation, "?unknown=1").isMalformed();
            send(admin, operation, "?unknown").isMalformed();
        }
        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void every_operation_requires_its_scope() {
        for (var operation : operations) {
            var wrong = isOfWebhooks(operation)
                    ? acme.scoped("read", "write")
                    : acme.scoped(operation.method().equals("GET") ? "write" : "read", "webhooks");
            send(wrong, operation, "").isProblem(403, "insufficient_scope");
        }
    }

    @Test
    void a_key_with_the_scope_read_can_use_every_get() {
        var reader = acme.scoped("read");
        for (var operation : operations) {
            if (operation.method().equals("GET") && !isOfWebhooks(operation)) {
                send(reader, operation, "").is(200);
            }
        }
    }

    /** Some bodies are not valid, and some resources are gone. The scope is checked before. */
    @Test
    void a_key_with_the_scope_write_can_use_every_other_operation() {
        var writer = acme.scoped("write");
        var refused = new ArrayList<Answer>();
        int writes = 0;
        for (var operation : writingBeforeDeleting()) {
            if (!operation.method().equals("GET") && !isOfWebhooks(operation)) {
                var answer = send(writer, operation, "");
                assertThat(answer.status())
                        .as(answer::toString)
                        .isNotIn(401, 403)
                        .isLessThan(500);
                writes++;
                if (answer.status() >= 300) {
                    refused.add(answer);
                }
            }
        }
        assertThat(refused).hasSizeLessThan(writes / 2);
    }

    @Test
    void a_viewer_cannot_write() {
        for (var operation : operations) {
            if (!operation.method().equals("GET")) {
                send(viewer, operation, "").isProblem(403, "forbidden");
            }
        }
    }

    @Test
    void every_operation_requires_the_plan() {
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
    void a_request_that_does_not_accept_json_is_refused() {
        for (var operation : operations) {
            send(admin.header("Accept", "text/html"), operation, "").isProblem(406, "not_acceptable");
        }
    }

    /** Deletions come last, those of nested resources first. */
    private List<Operation> writingBeforeDeleting() {
        var sorted = new ArrayList<>(operations.reversed());
        sorted.sort(Comparator.comparing(operation -> operation.method().equals("DELETE")));
        return sorted;
    }

    private static boolean isOfWebhooks(Operation operation) {
        return operation.path().matches("/v1/(webhooks|events).*");
    }

    private static boolean isExport(Operation operation) {
        return operation.path().equals("/v1/export");
    }

    private Answer send(Api api, Operation operation, String query) {
        return api.send(operation.method(), path(operation) + query, body(operation));
    }

    /** The path of the operation with ids of existing resources. */
    private String path(Operation operation) {
        var path = operation.path();
        while (path.contains("{")) {
            var before = path.substring(0, path.indexOf("/{"));
            var collection = before.substring(before.lastIndexOf('/') + 1);
            assertThat(ids)
                    .as("This test needs one of the %s for %s.", collection, operation)
                    .containsKey(collection);
            path = path.replaceFirst("\\{[^}]*}", String.valueOf(ids.get(collection)));
        }
        return path;
    }

    /** A body with references to existing resources. Null if the operation has no body. */
    private @Nullable Object body(Operation operation) {
        var fields = operation.bodyFields();
        if (fields == null) {
            return null;
        }
        var body = Json.object();
        fields.forEach((name, example) -> body.put(name, name.endsWith("_id") ? reference(name) : example));
        return body;
    }

    /** The id of the existing resource for a field or filter. */
    private String reference(String name) {
        return switch (name) {
            case "cycle_id" -> String.valueOf(ids.get("cycles"));
            case "team_id" -> String.valueOf(ids.get("teams"));
            case "owner_id", "author_id" -> String.valueOf(ids.get("users"));
            case "key_result_id" -> String.valueOf(ids.get("key-results"));
            case "external_id" -> EXTERNAL_ID;
            case "objective_id", "parent_objective_id", "child_objective_id", "resource_id" ->
                String.valueOf(ids.get("objectives"));
            default -> throw new AssertionError("this test needs to know what " + name + " refers to");
        };
    }

    private void revealsNothing(Answer answer) {
        ids.values().forEach(id -> assertThat(answer.text()).doesNotContain(id));
    }

    /** All data that the admin can read. */
    private Map<String, String> everything() {
        var seen = new HashMap<String, String>();
        for (var operation : operations) {
            // Two exports differ in their times.
            if (operation.method().equals("GET") && !isExport(operation)) {
                var path = path(operation);
                seen.put(path, admin.get(path).text());
            }
        }
        return seen;
    }
}
