package dev.okr.platform.ids;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Arrays;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class IdKindTest {
    private static final UUID ID = UUID.fromString("01890a5d-ac96-774b-bcce-b302099a8057");

    @Test
    void the_prefixes_are_those_of_the_specification_and_the_contract() {
        assertThat(Arrays.stream(IdKind.values()).map(IdKind::prefix))
                .containsExactlyInAnyOrder(
                        "obj", "kr", "ci", "cyc", "team", "usr", "align", "wh", "evt", "dlv", "key", "org", "imp");
    }

    @ParameterizedTest
    @EnumSource
    void a_formatted_id_is_parsed_to_the_same_id(IdKind kind) {
        assertThat(kind.format(ID)).isEqualTo(kind.prefix() + "_01h455vb4pex5vsknk084sn02q");
        assertThat(kind.parse(kind.format(ID))).contains(ID);
    }

    @ParameterizedTest
    @EnumSource
    void an_id_of_another_kind_is_unknown(IdKind kind) {
        for (var other : IdKind.values()) {
            assertThat(kind.parse(other.format(ID)).isPresent()).isEqualTo(kind == other);
        }
    }

    @Test
    void other_text_is_an_unknown_id() {
        for (var text : new String[] {
            "",
            "obj",
            "obj_",
            "obj_01h455vb4pex5vsknk084sn02",
            "obj_01h455vb4pex5vsknk084sn02qq",
            "obj-01h455vb4pex5vsknk084sn02q",
            "OBJ_01h455vb4pex5vsknk084sn02q",
            "obj_01H455VB4PEX5VSKNK084SN02Q",
            " obj_01h455vb4pex5vsknk084sn02q",
            "01890a5d-ac96-774b-bcce-b302099a8057"
        }) {
            assertThat(IdKind.OBJECTIVE.parse(text)).as(text).isEmpty();
        }
    }

    @Test
    void new_ids_have_version_7_and_are_ordered_by_time() {
        var moment = Instant.parse("2026-01-31T09:30:00.123456Z");
        var id = UuidV7.at(moment);
        assertThat(id.version()).isEqualTo(7);
        assertThat(id.variant()).isEqualTo(2);
        assertThat(id.getMostSignificantBits() >>> 16).isEqualTo(moment.toEpochMilli());
        assertThat(UuidV7.at(moment)).isNotEqualTo(id);
        assertThat(IdKind.EVENT.format(UuidV7.at(moment.plusMillis(1)))).isGreaterThan(IdKind.EVENT.format(id));
    }
}
