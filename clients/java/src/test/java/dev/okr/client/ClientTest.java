package dev.okr.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.standardwebhooks.exceptions.WebhookVerificationException;
import dev.okr.client.api.AlignmentsApi;
import dev.okr.client.api.CheckInsApi;
import dev.okr.client.api.CyclesApi;
import dev.okr.client.api.EventsApi;
import dev.okr.client.api.KeyResultsApi;
import dev.okr.client.api.ListAlignmentsQuery;
import dev.okr.client.api.ListEventsQuery;
import dev.okr.client.api.ListObjectivesQuery;
import dev.okr.client.api.ListTeamsQuery;
import dev.okr.client.api.ListUsersQuery;
import dev.okr.client.api.ListWebhooksQuery;
import dev.okr.client.api.ObjectivesApi;
import dev.okr.client.api.TeamsApi;
import dev.okr.client.api.UsersApi;
import dev.okr.client.api.WebhooksApi;
import dev.okr.client.model.AlignmentType;
import dev.okr.client.model.CreateAlignment;
import dev.okr.client.model.CreateCheckIn;
import dev.okr.client.model.CreateCheckInBatch;
import dev.okr.client.model.CreateCheckInItem;
import dev.okr.client.model.CreateCycle;
import dev.okr.client.model.CreateKeyResult;
import dev.okr.client.model.CreateObjective;
import dev.okr.client.model.EventType;
import dev.okr.client.model.InvalidField;
import dev.okr.client.model.MetricType;
import dev.okr.client.model.Objective;
import dev.okr.client.model.ObjectiveListItem;
import dev.okr.client.model.ObjectiveStatus;
import dev.okr.client.model.UpdateObjective;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.junit.jupiter.api.Test;

/** Tests the client against a running service. */
@QuarkusTest
@QuarkusTestResource(Proxy.class)
class ClientTest {
    Proxy proxy;

    @Inject
    @RestClient
    AlignmentsApi alignments;

    @Inject
    @RestClient
    CheckInsApi checkIns;

    @Inject
    @RestClient
    CyclesApi cycles;

    @Inject
    @RestClient
    EventsApi events;

    @Inject
    @RestClient
    KeyResultsApi keyResults;

    @Inject
    @RestClient
    ObjectivesApi objectives;

    @Inject
    @RestClient
    TeamsApi teams;

    @Inject
    @RestClient
    UsersApi users;

    @Inject
    @RestClient
    WebhooksApi webhooks;

    @Test
    void readsPages() {
        String cycle = cycle();
        Stream.of("One", "Two", "Three").forEach(title -> objective(title, cycle));
        var query = new ListObjectivesQuery().cycleId(cycle).perPage(2);
        var titles = Pages.all(cursor -> objectives.listObjectives(query.cursor(cursor)))
                .map(ObjectiveListItem::title)
                .toList();
        assertEquals(List.of("Three", "Two", "One"), titles);

        var all = users.listUsers(new ListUsersQuery().perPage(1)).meta().total();
        var page = new ListUsersQuery().perPage(2);
        var ids = Pages.allByNumber(number -> users.listUsers(page.page(number)))
                .map(user -> user.id())
                .toList();
        assertEquals(all, Set.copyOf(ids).size());
        assertTrue(ids.contains(users.getOwnUser().data().id()));
    }

    @Test
    void changesAndReadsAllResources() {
        String cycle = cycle();
        Objective parent = objective("Parent", cycle);
        Objective child = objective("Child", cycle);
        var change = UpdateObjective.of().withDescription("More").withStatus(ObjectiveStatus.AT_RISK);
        assertEquals("More", objectives.patchObjective(child.id(), change).data().description());
        var cleared = objectives.patchObjective(child.id(), UpdateObjective.of().withDescription(null)).data();
        assertNull(cleared.description());
        assertEquals(ObjectiveStatus.AT_RISK, cleared.status());

        var keyResult = keyResults
                .createKeyResult(
                        child.id(),
                        CreateKeyResult.of("Ten", MetricType.NUMBER, BigDecimal.ZERO, BigDecimal.TEN))
                .data();
        checkIns.createCheckIn(keyResult.id(), CreateCheckIn.of().withValue(BigDecimal.valueOf(2)));
        var item = CreateCheckInItem.of(keyResult.id());
        var batch = checkIns.checkInBatch(CreateCheckInBatch.of(List.of(
                item.withIncrement(BigDecimal.ONE), item.withIncrement(BigDecimal.valueOf(2)).withNote("Last"))));
        assertEquals("Last", batch.data().get(1).note());
        var detail = keyResults.getKeyResultById(keyResult.id()).data();
        assertEquals(0, detail.currentValue().compareTo(BigDecimal.valueOf(5)));
        assertEquals(3, detail.checkIns().size());

        var alignment = alignments
                .createAlignment(CreateAlignment.of(parent.id(), child.id())
                        .withAlignmentType(AlignmentType.CONTRIBUTES_TO))
                .data();
        var found = alignments.listAlignments(new ListAlignmentsQuery().objectiveId(child.id()));
        assertEquals(alignment.id(), found.data().get(0).id());

        var created = events.listEvents(
                new ListEventsQuery().type(EventType.OBJECTIVE_CREATED).resourceId(child.id()));
        assertEquals("Child", created.data().get(0).data().get("title"));
        assertNotNull(teams.listTeams(new ListTeamsQuery()).meta());
        assertNotNull(webhooks.listWebhooks(new ListWebhooksQuery()).meta());
        assertTrue(objectives.deleteObjective(child.id()).data().deleted());
    }

    @Test
    void throwsProblems() {
        var missing = assertThrows(OkrException.class, () -> objectives.getObjective("obj_nope"));
        assertEquals(404, missing.status());
        assertEquals("not_found", missing.code());
        assertNotNull(missing.detail());

        var body = CreateObjective.of("", "cyc_nope");
        var invalid = assertThrows(OkrException.class, () -> objectives.createObjective(body));
        assertEquals("validation_failed", invalid.code());
        var pointers = invalid.errors().stream().map(InvalidField::pointer).toList();
        assertTrue(pointers.stream().anyMatch(pointer -> pointer.endsWith("/title")), pointers::toString);
    }

    @Test
    void repeatsALimitedAndThenLostPostWithTheSameKey() {
        String cycle = cycle();
        long started = System.nanoTime();
        proxy.disturb();
        objective("Once", cycle);
        var keys = proxy.keys();
        assertEquals(3, keys.size());
        assertNotNull(keys.get(0));
        assertEquals(1, Set.copyOf(keys).size());
        assertTrue(System.nanoTime() - started >= Duration.ofSeconds(1).toNanos(), "Retry-After is respected");
        var list = objectives.listObjectives(new ListObjectivesQuery().cycleId(cycle));
        assertEquals(1, list.meta().total());
    }

    @Test
    void repeatsAKeyOfTheCaller() {
        String cycle = cycle();
        String key = UUID.randomUUID().toString();
        var body = CreateObjective.of("Once", cycle);
        var first = objectives.createObjective(body, key).data();
        assertEquals(first.id(), objectives.createObjective(body, key).data().id());
    }

    @Test
    void verifiesWebhooks() throws Exception {
        byte[] secret = "a secret of at least 24 bytes".getBytes(StandardCharsets.UTF_8);
        var verifier = new WebhookVerifier("whsec_" + Base64.getEncoder().encodeToString(secret));
        String body = """
                {"id":"evt_1","type":"objective.created","timestamp":"2027-01-11T09:00:00Z","data":{"title":"One"}}""";
        String time = Long.toString(Instant.now().getEpochSecond());
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret, "HmacSHA256"));
        byte[] signature = mac.doFinal(("evt_1." + time + "." + body).getBytes(StandardCharsets.UTF_8));
        var headers = Map.of(
                "webhook-id", List.of("evt_1"),
                "webhook-timestamp", List.of(time),
                "webhook-signature", List.of("v1," + Base64.getEncoder().encodeToString(signature)));

        var event = verifier.verify(body, headers);
        assertEquals(EventType.OBJECTIVE_CREATED, event.type());
        assertEquals(Instant.parse("2027-01-11T09:00:00Z"), event.timestamp());
        assertThrows(WebhookVerificationException.class, () -> verifier.verify(body + " ", headers));
    }

    private String cycle() {
        return cycles.createCycle(CreateCycle.of(
                        "Client " + UUID.randomUUID(),
                        Instant.parse("2031-01-01T00:00:00Z"),
                        Instant.parse("2031-04-01T00:00:00Z")))
                .data()
                .id();
    }

    private Objective objective(String title, String cycle) {
        return objectives.createObjective(CreateObjective.of(title, cycle)).data();
    }
}
