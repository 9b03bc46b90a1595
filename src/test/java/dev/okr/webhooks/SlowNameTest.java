package dev.okr.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Answer;
import dev.okr.testing.HttpTest;
import dev.okr.testing.ScriptedNames;
import io.quarkus.test.junit.QuarkusTest;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Name servers of webhook hosts that answer slowly. */
@QuarkusTest
class SlowNameTest extends HttpTest {
    /** More than the turns at the database. */
    private static final int ORGANIZATIONS = 12;

    @Test
    void requests_that_wait_for_name_servers_do_not_delay_others() throws Exception {
        admin.get("/v1/cycles").is(200);
        var creations = Stream.generate(this::organization)
                .limit(ORGANIZATIONS)
                .map(organization -> organization.admin())
                .<Callable<Answer>>map(api -> () -> api.post(
                        "/v1/webhooks",
                        Map.of("url", "https://" + ScriptedNames.slowName() + "/", "events", List.of("*"))))
                .toList();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var running = creations.stream().map(threads::submit).toList();
            await(() -> ScriptedNames.slowLookups() == ORGANIZATIONS, () -> ScriptedNames.slowLookups() + " lookups");
            admin.get("/v1/cycles").is(200);
            assertThat(running).noneMatch(Future::isDone);
            for (var each : running) {
                each.get().isInvalid("/url unresolvable_host");
            }
        }
    }
}
