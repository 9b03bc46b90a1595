package dev.okr.events;

import dev.okr.testing.ServiceProcess;
import io.quarkus.test.junit.QuarkusIntegrationTest;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("repeats")
@QuarkusIntegrationTest
class EventFeedIT extends EventFeedTest {
    @Test
    void a_late_commit_is_read_once_from_two_replicas() throws Exception {
        try (var other = ServiceProcess.onTestDatabase(Map.of())) {
            follow(admin, admin.at(other.uri()));
        }
    }
}
