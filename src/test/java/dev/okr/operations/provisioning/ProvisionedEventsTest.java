package dev.okr.operations.provisioning;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.access.Token;
import dev.okr.organizations.audit.ChangeEvents;
import dev.okr.testing.Events;
import dev.okr.testing.HttpTest;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

@QuarkusTest
class ProvisionedEventsTest extends HttpTest {
    private static final String FILE = "organizations.yaml";

    @Inject
    DataSource database;

    @Inject
    ChangeEvents recorder;

    @Test
    void a_new_start_with_a_changed_file_causes_events_without_an_actor() throws Exception {
        var events = new Events(service, admin);
        var file = """
                organizations:
                  - slug: acme-%s
                    name: Acme Corp
                    plan: business
                    users:
                      - email: %s
                        name: Grace Hopper
                        role: viewer
                    teams:
                      - name: Growth
                        members:
                          - email: %s
                            role: lead
                """.formatted(
                        acme.id(), acme.memberUser().email(), acme.memberUser().email());
        apply(file);
        var told = events.next();
        assertThat(told)
                .extracting(Events.Event::type)
                .containsExactly("user.updated", "team.created", "team_member.added");
        assertThat(told).extracting(Events.Event::actor).containsOnlyNulls();
        assertThat(told.get(1).data().get("id").textValue())
                .isEqualTo(viewer.get("/v1/teams").ids().getFirst());
        apply(file);
        assertThat(events.next()).isEmpty();
    }

    @Test
    void a_new_organisation_has_no_events() throws Exception {
        var slug = UUID.randomUUID().toString();
        var token = Token.random();
        apply("""
                organizations:
                  - slug: %s
                    name: Acme Corp
                    plan: business
                    users:
                      - email: ada@%s.test
                        name: Ada Lovelace
                        role: admin
                        api_keys:
                          - name: ci
                            token: %s
                    teams:
                      - name: Growth
                        members:
                          - email: ada@%s.test
                            role: lead
                """.formatted(slug, slug, token, slug));
        assertThat(stranger().with(token).get("/v1/events").is(200).data()).isEmpty();
    }

    private void apply(String content) throws Exception {
        var parsed = OrganizationFileParser.parse(content.getBytes(StandardCharsets.UTF_8), FILE);
        Provisioning.write(database, parsed, FILE, Instant.now(), recorder);
    }
}
