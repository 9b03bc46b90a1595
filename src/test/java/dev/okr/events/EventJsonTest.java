package dev.okr.events;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.okr.platform.http.JsonSettings;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class EventJsonTest {
    private static final UUID ID = UUID.fromString("01890a5d-ac96-774b-bcce-b302099a8057");
    private static final Instant AT = Instant.parse("2026-01-31T09:30:00.999999Z");

    private final EventJson json = new EventJson(mapper());

    @Test
    void equal_states_have_no_old_values() {
        assertThat(json.previous("{\"a\":1,\"b\":\"x\"}", "{\"a\":1,\"b\":\"x\"}"))
                .isEmpty();
        assertThat(json.previous("{\"a\":1,\"b\":\"x\"}", "{\"b\":\"x\",\"a\":1}"))
                .isEmpty();
        assertThat(json.previous("{\"a\":0.50}", "{\"a\":0.5}")).isEmpty();
    }

    @Test
    void a_change_of_updated_at_alone_does_not_count() {
        assertThat(json.previous("{\"a\":1,\"updated_at\":\"x\"}", "{\"a\":1,\"updated_at\":\"y\"}"))
                .isEmpty();
        assertThat(json.previous("{\"a\":1,\"updated_at\":\"x\"}", "{\"a\":2,\"updated_at\":\"y\"}"))
                .hasValue("{\"a\":1}");
    }

    @Test
    void only_fields_that_differ_have_an_old_value() {
        assertThat(json.previous("{\"a\":1,\"b\":\"x\",\"c\":[1,2]}", "{\"a\":2,\"b\":\"x\",\"c\":[2,1]}"))
                .hasValue("{\"a\":1,\"c\":[1,2]}");
    }

    @Test
    void the_old_value_of_an_absent_field_is_null() {
        assertThat(json.previous("{\"a\":1}", "{\"a\":1,\"b\":\"x\"}")).hasValue("{\"b\":null}");
    }

    @Test
    void a_removed_field_has_its_old_value() {
        assertThat(json.previous("{\"a\":1,\"b\":\"x\"}", "{\"a\":1}")).hasValue("{\"b\":\"x\"}");
    }

    @Test
    void numbers_are_copied_exactly() {
        for (var number : new String[] {
            "0", "0.5", "0.3333", "0.000001", "-0.25", "10", "1000000", "99999999999.999999", "-99999999999.999999"
        }) {
            assertThat(json.previous("{\"a\":" + number + "}", "{\"a\":7}")).hasValue("{\"a\":" + number + "}");
        }
        assertThat(json.previous("{\"a\":99999999999.999998}", "{\"a\":99999999999.999999}"))
                .isPresent();
    }

    @Test
    void text_is_copied_exactly() {
        assertThat(json.previous("{\"a\":\"\\\"\\n🎯\"}", "{\"a\":\"\"}")).hasValue("{\"a\":\"\\\"\\n🎯\"}");
    }

    @Test
    void the_fields_of_a_payload_are_in_order() {
        assertThat(json.payload(change(EventType.OBJECTIVE_UPDATED, "{\"title\":\"x\"}", ID), ID, AT))
                .isEqualTo("""
                        {"id":"evt_01h455vb4pex5vsknk084sn02q","type":"objective.updated",\
                        "timestamp":"2026-01-31T09:30:00Z","data":{"id":"obj_1","progress":0.5},\
                        "previous":{"title":"x"},"actor":{"user_id":"usr_01h455vb4pex5vsknk084sn02q"}}""");
    }

    @Test
    void a_payload_omits_old_values_and_actor_if_there_are_none() {
        assertThat(json.payload(change(EventType.OBJECTIVE_DELETED, null, null), ID, AT))
                .isEqualTo("""
                        {"id":"evt_01h455vb4pex5vsknk084sn02q","type":"objective.deleted",\
                        "timestamp":"2026-01-31T09:30:00Z","data":{"id":"obj_1","progress":0.5}}""");
    }

    private static Outbox.Change change(EventType type, String previous, UUID actor) {
        return new Outbox.Change(ID, type, "obj_1", "{\"id\":\"obj_1\",\"progress\":0.5}", previous, actor);
    }

    private static ObjectMapper mapper() {
        var mapper = new ObjectMapper();
        new JsonSettings().customize(mapper);
        return mapper;
    }
}
