package dev.okr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.HttpTest;
import dev.okr.testing.Requests;
import dev.okr.testing.ServiceProcess;
import io.quarkus.test.junit.DisabledOnIntegrationTest;
import io.quarkus.test.junit.QuarkusIntegrationTest;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A replica on a machine whose locale does not use ASCII digits. */
@QuarkusIntegrationTest
@DisabledOnIntegrationTest(forArtifactTypes = DisabledOnIntegrationTest.ArtifactType.NATIVE_BINARY)
class LocaleIT extends HttpTest {
    @Test
    void a_locale_with_other_digits_does_not_change_responses() throws Exception {
        var arabic = Map.of("JAVA_TOOL_OPTIONS", "-Duser.language=ar -Duser.country=EG");
        try (var replica = ServiceProcess.onTestDatabase(arabic)) {
            var service = admin.at(replica.uri());
            var cycle = service.post("/v1/cycles", Requests.uniqueCycle()).is(201);
            assertThat(cycle.header("RateLimit-Policy").orElse("")).isASCII();
            service.get("/v1/users/me").is(200);
            service.get("/v1/events?order=asc").is(200);
        }
    }
}
