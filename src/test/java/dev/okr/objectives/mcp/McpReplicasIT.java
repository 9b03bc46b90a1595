package dev.okr.objectives.mcp;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Assistant;
import dev.okr.testing.HttpTest;
import dev.okr.testing.ServiceProcess;
import io.quarkus.test.junit.QuarkusIntegrationTest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The tools on several replicas without sticky sessions. */
@QuarkusIntegrationTest
class McpReplicasIT extends HttpTest {
    private final List<ServiceProcess> replicas = new ArrayList<>();

    @AfterEach
    void stop() {
        replicas.forEach(ServiceProcess::close);
    }

    @Test
    void each_message_can_go_to_another_replica() {
        var second = start(Map.of());
        var third = start(Map.of());
        var parameters = object(
                "protocolVersion", "2025-06-18",
                "capabilities", Map.of(),
                "clientInfo", object("name", "test", "version", "1"));

        var session = new Assistant(member)
                .message("initialize", parameters)
                .is(200)
                .header("Mcp-Session-Id")
                .orElseThrow();
        var client = member.header("Mcp-Session-Id", session);
        new Assistant(client.at(second.uri()))
                .notify("notifications/initialized")
                .is(202);
        assertThat(new Assistant(client.at(third.uri())).toolNames()).hasSize(14);

        var keyResult = newKeyResult(newObjective(), 0, 10);
        var call = new Object[] {"key_result_id", keyResult, "increment", 1, "idempotency_key", "once"};
        var first =
                new Assistant(client.at(second.uri())).call("check_in", call).succeeds();
        var repeated =
                new Assistant(client.at(third.uri())).call("check_in", call).succeeds();
        assertThat(repeated.content()).isEqualTo(first.content());
    }

    @Test
    void operators_can_turn_the_tools_off() {
        var off = start(Map.of("OKR_MCP_ENABLED", "false"));

        new Assistant(member.at(off.uri())).message("tools/list", Map.of()).isNotFound();
        stranger().at(off.uri()).post("/mcp", "{}").isNotFound();
        member.at(off.uri()).get("/v1/users/me").is(200);
    }

    private ServiceProcess start(Map<String, String> environment) {
        var replica = ServiceProcess.onTestDatabase(environment);
        replicas.add(replica);
        return replica;
    }
}
