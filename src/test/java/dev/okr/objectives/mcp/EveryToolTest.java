package dev.okr.objectives.mcp;

import static dev.okr.testing.Json.object;
import static dev.okr.testing.Requests.with;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.okr.testing.Answer;
import dev.okr.testing.Api;
import dev.okr.testing.Assistant;
import dev.okr.testing.Assistant.Result;
import dev.okr.testing.Events;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.TestOrganization;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Rules for every tool that the service lists. A new tool needs an example and the operation of the API that does the
 * same.
 */
@QuarkusTest
class EveryToolTest extends HttpTest {
    private static final int INVALID_PARAMS = -32_602;

    /** The operations of the API that do the same. An argument that is not in the path is a field or a filter. */
    static final Map<String, String> OPERATIONS = Map.ofEntries(
            Map.entry("who_am_i", "GET /v1/users/me"),
            Map.entry("list_cycles", "GET /v1/cycles"),
            Map.entry("cycle_summary", "GET /v1/cycles/{cycle_id}/summary"),
            Map.entry("find_objectives", "GET /v1/objectives"),
            Map.entry("get_objective", "GET /v1/objectives/{objective_id}"),
            Map.entry("explain_progress", "GET /v1/objectives/{objective_id}/progress"),
            Map.entry("list_stale_key_results", "GET /v1/key-results"),
            Map.entry("check_in", "POST /v1/key-results/{key_result_id}/check-ins"),
            Map.entry("check_in_batch", "POST /v1/check-ins/batch"),
            Map.entry("create_objective", "POST /v1/objectives"),
            Map.entry("update_objective", "PUT /v1/objectives/{objective_id}"),
            Map.entry("create_key_result", "POST /v1/objectives/{objective_id}/key-results"),
            Map.entry("update_key_result", "PUT /v1/key-results/{key_result_id}"),
            Map.entry("align_objectives", "POST /v1/alignments"));

    /** The tools that the service lists for an admin. */
    private List<JsonNode> tools;

    /** The ids of resources of one organisation. */
    private record Goals(String cycle, String objective, String child, String keyResult, String team, String user) {
        /** The id that has this prefix. */
        String id(String prefix) {
            return Stream.of(cycle, objective, keyResult, team, user)
                    .filter(id -> id.startsWith(prefix))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @BeforeEach
    void list() {
        tools = new Assistant(admin).tools();
        assertThat(names(tools)).containsExactlyInAnyOrderElementsOf(OPERATIONS.keySet());
    }

    @Test
    void a_key_sees_the_tools_that_it_may_use() {
        var reading = tools.stream().filter(EveryToolTest::isReading).toList();
        var writing = tools.stream().filter(tool -> !isReading(tool)).toList();

        for (var key : List.of(member, organization().admin(), acme.scoped("read", "write"))) {
            assertThat(new Assistant(key).tools()).isEqualTo(tools);
        }
        for (var key : List.of(viewer, acme.scoped("read"))) {
            assertThat(new Assistant(key).tools()).isEqualTo(reading);
        }
        assertThat(new Assistant(acme.scoped("write")).tools()).isEqualTo(writing);
        assertThat(new Assistant(acme.scoped("webhooks")).tools()).isEmpty();
    }

    @Test
    void a_listed_tool_succeeds_and_any_other_is_refused_like_the_operation_of_the_api() {
        var keys = List.of(
                admin, member, viewer, acme.scoped("read"), acme.scoped("write"), acme.scoped("webhooks", "read"));
        for (var key : keys) {
            var goals = goals(acme, newCycle());
            var assistant = new Assistant(key);
            var listed = Set.copyOf(assistant.toolNames());
            var events = events(acme);
            for (var tool : tools) {
                var name = name(tool);
                var example = example(name, goals);
                if (listed.contains(name)) {
                    var result = assistant.call(name, example).succeeds();
                    if (isReading(tool)) {
                        assertThat(result.content())
                                .as(name)
                                .isEqualTo(api(key, name, example).is(200).json());
                    } else {
                        assertThat(events.next()).as(name).isNotEmpty();
                    }
                } else {
                    var refusal = api(key, name, example).is(403).json();
                    var error = assistant.tryCall(name, example).is(200).json().path("error");
                    assertThat(error.path("code").asInt()).as(name).isEqualTo(INVALID_PARAMS);
                    assertThat(error.path("message").asText())
                            .as(name)
                            .isEqualTo(refusal.path("code").asText() + ": "
                                    + refusal.path("detail").asText());
                    assertThat(events.next()).as(name).isEmpty();
                }
            }
        }
    }

    @Test
    void a_writing_tool_returns_what_the_api_returns() {
        var assistant = new Assistant(member);
        for (var tool : tools.stream().filter(each -> !isReading(each)).toList()) {
            var name = name(tool);
            var result = assistant.call(name, example(name, goals(acme, newCycle())));
            var answer = api(member, name, example(name, goals(acme, newCycle())));
            assertThat(withoutIdsAndTimes(result.succeeds().content()))
                    .as(name)
                    .isEqualTo(withoutIdsAndTimes(answer.json()));
        }
    }

    @Test
    void no_tool_is_called_without_a_key_or_on_a_plan_without_the_api() {
        var poor = new Assistant(organization("free").admin());
        var unknown = new Assistant(stranger().with("okr_unknown"));
        for (var tool : tools) {
            poor.tryCall(name(tool), Map.of()).isProblem(403, "plan_required");
            unknown.tryCall(name(tool), Map.of()).isProblem(401, "unauthenticated");
            new Assistant(stranger()).tryCall(name(tool), Map.of()).isProblem(401, "unauthenticated");
        }
    }

    @Test
    void another_organisation_does_not_exist() {
        var goals = goals(acme, newCycle());
        var other = organization();
        var own = goals(other, create(other.admin(), "/v1/cycles", Requests.uniqueCycle()));
        var events = events(acme);
        var assistant = new Assistant(other.admin());
        for (var tool : tools) {
            var name = name(tool);
            for (var arguments : withIds(schema(tool), example(name, own), goals::id)) {
                var result = assistant.call(name, arguments);
                equal(result, api(other.admin(), name, arguments), name);
                if (result.isError()) {
                    assertThat(result.content().path("code").asText())
                            .as(result.text())
                            .isIn("not_found", "validation_failed");
                } else {
                    assertThat(isReading(tool)).as(result.text()).isTrue();
                    assertThat(result.content().at("/meta/total").asInt(-1))
                            .as(result.text())
                            .isZero();
                }
            }
        }
        assertThat(events.next()).isEmpty();
    }

    @Test
    void no_tool_changes_anything_in_a_closed_cycle() {
        var closed = goals(acme, newCompletedCycle());
        admin.post("/v1/cycles/" + closed.cycle() + "/close", null).is(200);
        var open = goals(acme, newCycle());
        var before = viewer.get(Paths.objective(closed.objective())).data();
        var events = events(acme);
        var assistant = new Assistant(admin);
        for (var tool : tools.stream().filter(each -> !isReading(each)).toList()) {
            var name = name(tool);
            var calls = new ArrayList<>(List.of(example(name, closed)));
            for (var arguments : withIds(schema(tool), example(name, open), closed::id)) {
                calls.add(arguments);
            }
            // An objective of an open cycle may support one of a closed cycle.
            calls.removeIf(arguments -> arguments.containsValue(open.child()));
            // People and teams have no cycle.
            calls.removeIf(
                    arguments -> arguments.containsValue(closed.team()) || arguments.containsValue(closed.user()));
            assertThat(calls).as(name).hasSizeGreaterThan(1);
            for (var arguments : calls) {
                var result = assistant.call(name, arguments).failsWith("cycle_closed");
                assertThat(result.content().path("detail").asText()).as(name).contains(closed.cycle());
                equal(result, api(admin, name, arguments), name);
            }
        }
        assertThat(viewer.get(Paths.objective(closed.objective())).data()).isEqualTo(before);
        assertThat(events.next()).isEmpty();
    }

    @Test
    void errors_have_the_code_and_the_detail_of_the_api() {
        var goals = goals(acme, newCycle());
        var assistant = new Assistant(member);
        for (var tool : tools) {
            var name = name(tool);
            var unknown = with(example(name, goals), "colour", "red");
            var result = assistant.call(name, unknown).failsWith("validation_failed");
            assertThat(result.content().at("/errors/0/pointer").asText())
                    .as(name)
                    .isEqualTo("/colour");
            for (var missing : withIds(schema(tool), example(name, goals), prefix -> prefix + "unknown")) {
                equal(assistant.call(name, missing), api(member, name, missing), name);
            }
        }
    }

    @Test
    void a_repeated_call_acts_once() {
        var goals = goals(acme, newCycle());
        var events = events(acme);
        var assistant = new Assistant(member);
        for (var tool : tools.stream().filter(each -> !isReading(each)).toList()) {
            var name = name(tool);
            var keyed = with(example(name, goals), "idempotency_key", name);
            var first = assistant.call(name, keyed).succeeds();
            assertThat(events.next()).as(name).isNotEmpty();
            if (tool.at("/annotations/idempotentHint").asBoolean()) {
                // Only after another change does a second execution change anything.
                assistant
                        .call(name, with(example(name, goals), "title", "Later"))
                        .succeeds();
                assertThat(events.next()).as(name).isNotEmpty();
            }

            assertThat(assistant.call(name, keyed).succeeds().content())
                    .as(name)
                    .isEqualTo(first.content());
            assertThat(events.next()).as(name).isEmpty();
            assistant.call(name, with(keyed, "colour", "red")).failsWith("idempotency_mismatch");
        }
    }

    private Map<String, Object> example(String tool, Goals goals) {
        return switch (tool) {
            case "who_am_i", "list_cycles" -> object();
            case "find_objectives" -> object("cycle_id", goals.cycle());
            case "list_stale_key_results" -> object("cycle_id", goals.cycle(), "stale_since", "2098-01-01T00:00:00Z");
            case "cycle_summary" -> object("cycle_id", goals.cycle());
            case "get_objective", "explain_progress" -> object("objective_id", goals.objective());
            case "check_in" -> object("key_result_id", goals.keyResult(), "increment", 1);
            case "check_in_batch" ->
                object("check_ins", List.of(object("key_result_id", goals.keyResult(), "increment", 1)));
            case "create_objective" -> Requests.objective(goals.cycle());
            case "update_objective" -> object("objective_id", goals.objective(), "title", "Changed");
            case "create_key_result" -> with(Requests.keyResult(0, 1), "objective_id", goals.objective());
            case "update_key_result" -> object("key_result_id", goals.keyResult(), "title", "Changed");
            case "align_objectives" -> Requests.alignment(goals.objective(), goals.child());
            default -> throw new AssertionError("This test needs an example for the tool " + tool + ".");
        };
    }

    /** The example once for each argument that is an id, with an id of the same kind from elsewhere. */
    private static List<Map<String, Object>> withIds(
            JsonNode schema, Map<String, Object> example, Function<String, String> elsewhere) {
        var calls = new ArrayList<Map<String, Object>>();
        schema.path("properties").properties().forEach(property -> {
            var name = property.getKey();
            var type = property.getValue();
            if (type.has("pattern")) {
                var prefix = type.path("pattern").asText().substring(1);
                calls.add(with(example, name, elsewhere.apply(prefix)));
            } else if (type.has("items")) {
                @SuppressWarnings("unchecked")
                var item = (Map<String, Object>) ((List<?>) example.get(name)).getFirst();
                withIds(type.path("items"), item, elsewhere)
                        .forEach(changed -> calls.add(with(example, name, List.of(changed))));
            }
        });
        return calls;
    }

    /** The answer of the API's operation to the same arguments. */
    private static Answer api(Api key, String tool, Map<String, Object> arguments) {
        var operation = OPERATIONS.get(tool).split(" ");
        var path = operation[1];
        var others = new LinkedHashMap<String, Object>();
        for (var argument : arguments.entrySet()) {
            var parameter = '{' + argument.getKey() + '}';
            if (path.contains(parameter)) {
                path = path.replace(parameter, argument.getValue().toString());
            } else {
                others.put(argument.getKey(), argument.getValue());
            }
        }
        return operation[0].equals("GET") ? key.get(path + query(others)) : key.send(operation[0], path, others);
    }

    private static String query(Map<String, Object> parameters) {
        return parameters.entrySet().stream()
                .map(each ->
                        each.getKey() + '=' + URLEncoder.encode(each.getValue().toString(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&", parameters.isEmpty() ? "" : "?", ""));
    }

    /** The result is the body of the API, apart from what belongs to the request. */
    private static void equal(Result result, Answer answer, String tool) {
        assertThat(result.isError()).as(tool).isEqualTo(answer.status() >= 400);
        assertThat(withoutRequest(result.content())).as(tool).isEqualTo(withoutRequest(answer.json()));
    }

    private static JsonNode withoutRequest(JsonNode body) {
        return ((ObjectNode) body).without(List.of("request_id", "instance"));
    }

    private static String withoutIdsAndTimes(JsonNode body) {
        return body.toString()
                .replaceAll("_[0-9a-z]{26}\"", "_…\"")
                .replaceAll("\"\\d{4}-\\d\\d-\\d\\dT[^\"]*\"", "\"…\"");
    }

    private Goals goals(TestOrganization organization, String cycle) {
        var owner = organization.member();
        var objective = create(owner, "/v1/objectives", Requests.objective(cycle));
        var child = create(owner, "/v1/objectives", Requests.objective(cycle));
        var keyResult = create(owner, Paths.keyResults(objective), Requests.keyResult(0, 10));
        var team = organization.team("Growth " + cycle).id();
        return new Goals(
                cycle,
                objective,
                child,
                keyResult,
                team,
                organization.memberUser().id());
    }

    private static String create(Api api, String path, Map<String, Object> body) {
        return api.post(path, body).is(201).id();
    }

    private Events events(TestOrganization organization) {
        var events = new Events(service, organization.admin());
        events.skip();
        return events;
    }

    private static JsonNode schema(JsonNode tool) {
        return tool.path("inputSchema");
    }

    private static boolean isReading(JsonNode tool) {
        return tool.at("/annotations/readOnlyHint").asBoolean();
    }

    private static List<String> names(List<JsonNode> tools) {
        return tools.stream().map(EveryToolTest::name).toList();
    }

    private static String name(JsonNode tool) {
        return tool.path("name").asText();
    }
}
