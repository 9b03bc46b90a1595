package dev.okr.platform.ids;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class Base32Test {
    private static final byte[] NOTHING = {};

    /** The vectors of the TypeID specification. */
    @ParameterizedTest
    @CsvSource({
        "00000000-0000-0000-0000-000000000000, 00000000000000000000000000",
        "00000000-0000-0000-0000-000000000001, 00000000000000000000000001",
        "00000000-0000-0000-0000-00000000000a, 0000000000000000000000000a",
        "00000000-0000-0000-0000-000000000010, 0000000000000000000000000g",
        "00000000-0000-0000-0000-000000000020, 00000000000000000000000010",
        "ffffffff-ffff-ffff-ffff-ffffffffffff, 7zzzzzzzzzzzzzzzzzzzzzzzzz",
        "01890a5d-ac96-774b-bcce-b302099a8057, 01h455vb4pex5vsknk084sn02q"
    })
    void the_vectors_of_the_specification_match(UUID id, String text) {
        assertThat(Base32.encode(NOTHING, id)).isEqualTo(text);
        assertThat(Base32.decode(text, 0)).contains(id);
    }

    @Test
    void an_encoded_id_decodes_to_the_same_id() {
        var random = new Random(1);
        for (int i = 0; i < 1_000; i++) {
            var id = new UUID(random.nextLong(), random.nextLong());
            assertThat(Base32.decode("x" + Base32.encode(NOTHING, id), 1)).contains(id);
        }
    }

    @Test
    void the_order_of_ids_is_the_order_of_their_texts() {
        var small = new UUID(0x0190_0000_0000_7000L, 0x8000_0000_0000_0000L);
        var large = new UUID(0x0190_0000_0001_7000L, 0x8000_0000_0000_0000L);
        assertThat(Base32.encode(NOTHING, small)).isLessThan(Base32.encode(NOTHING, large));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "80000000000000000000000000",
                "zzzzzzzzzzzzzzzzzzzzzzzzzz",
                "0000000000000000000000000i",
                "0000000000000000000000000l",
                "0000000000000000000000000o",
                "0000000000000000000000000u",
                "0000000000000000000000000A",
                "0000000000000000000000000-",
                "0000000000000000000000000 ",
                "0000000000000000000000000é",
                "0000000000000000000000000\uFF10",
                "\uFF100000000000000000000000000",
                "0000000000000000000000000{"
            })
    void other_characters_do_not_decode(String text) {
        assertThat(Base32.decode(text, 0)).isEmpty();
    }
}
