package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.access.Token;
import dev.okr.testing.Answer;
import dev.okr.testing.HttpTest;
import dev.okr.testing.ServiceProcess;
import io.quarkus.test.junit.QuarkusIntegrationTest;
import java.util.ArrayDeque;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many requests without a valid key. */
@QuarkusIntegrationTest
@Tag("waits")
class FailedAuthenticationIT extends HttpTest {
    private static final int LIMIT = 60;
    private static final String FORWARDED_FOR = "X-Forwarded-For";

    private final Client client = Client.local();
    private final Client elsewhere = Client.from("127.0.0.2");
    private ServiceProcess process;

    @AfterEach
    void stop() {
        process.close();
        client.close();
        elsewhere.close();
    }

    @Test
    void too_many_failures_from_one_address_are_rejected_but_never_a_valid_key() {
        start(Map.of());
        var valid = acme.key(acme.viewerUser().uuid());
        spend(client.key(Token.generate(() -> 7)));
        spent(client);
        spent(client.key("x"));
        // Without a trusted proxy, the address that a client sends is ignored.
        spent(client.header(FORWARDED_FOR, "203.0.113.1"));
        spent(client.header("Forwarded", "for=203.0.113.1"));
        var answers = new ArrayDeque<Answer>();
        await(
                () -> {
                    answers.push(stranger().get("/v1/users/me"));
                    return answers.peek().status() == 429;
                },
                () -> "a rejection");
        assertThat(answers.peek().isProblem(429, "rate_limited").header("Retry-After"))
                .hasValue("1");
        assertThat(client.key(valid).status(process.uri())).isEqualTo(200);
        assertThat(elsewhere.status(process.uri())).isEqualTo(401);
    }

    @Test
    void behind_a_trusted_proxy_the_address_in_its_header_counts() {
        start(Map.of(
                "QUARKUS_HTTP_PROXY_PROXY_ADDRESS_FORWARDING",
                "true",
                "QUARKUS_HTTP_PROXY_TRUSTED_PROXIES",
                "127.0.0.1"));
        spend(client.header(FORWARDED_FOR, "203.0.113.1"));
        spent(client.header(FORWARDED_FOR, "203.0.113.1"));
        assertThat(client.header(FORWARDED_FOR, "203.0.113.2").status(process.uri()))
                .isEqualTo(401);
        assertThat(client.header(FORWARDED_FOR, ",").status(process.uri())).isEqualTo(400);
        // A malformed protocol is ignored. A list needs the address of the request for its links.
        var malformed = client.key(acme.key(acme.viewerUser().uuid())).header("X-Forwarded-Proto", "a b");
        assertThat(malformed.send(process.uri(), "GET", "/v1/cycles").statusCode())
                .isEqualTo(200);
        // If the sending host is not a trusted proxy, its own address counts.
        spend(elsewhere.header(FORWARDED_FOR, "203.0.113.3"));
        spent(elsewhere.header(FORWARDED_FOR, "203.0.113.4"));
    }

    private void start(Map<String, String> environment) {
        process = ServiceProcess.onTestDatabase(environment);
        service = process.uri();
    }

    private void spend(Client from) {
        for (int i = 0; i < LIMIT; i++) {
            assertThat(from.status(process.uri())).isEqualTo(401);
        }
    }

    private void spent(Client from) {
        // The bucket may have gained tokens since.
        await(() -> from.status(process.uri()) == 429, () -> "a rejection");
    }
}
