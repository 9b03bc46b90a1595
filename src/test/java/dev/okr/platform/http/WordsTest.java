package dev.okr.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;

class WordsTest {
    private static final UUID ORGANIZATION = UUID.fromString("01890000-0000-7000-8000-0123456789ab");

    @Test
    void words_consist_of_letters_and_digits() {
        assertThat(Words.of("Sign-up: 3.5 % (Q3)", null, "don't 'quote\\").all())
                .containsExactly("sign", "up", "3", "5", "q3", "don", "t", "quote");
    }

    @Test
    void case_and_accents_are_ignored_in_every_script() {
        assertThat(Words.of("ÉCOLE e\u0301cole Straße STRASSE İstanbul ﬁn ΟΔΟΣ ДОМ हिन्दी")
                        .all())
                .containsExactly("ecole", "strasse", "istanbul", "fin", "οδοσ", "дом", "हनद");
    }

    @Test
    void a_long_word_is_found_by_its_beginning() {
        assertThat(Words.of("x".repeat(100)).all()).containsExactly("x".repeat(64));
        assertThat(Words.searched("x".repeat(64))).isPresent();
        assertThat(Words.searched("x".repeat(65))).isEmpty();
    }

    @Test
    void a_search_has_one_to_eight_words() {
        assertThat(Words.searched("a b c d e f g h")).isPresent();
        assertThat(Words.searched("a b c d e f g h i")).isEmpty();
        assertThat(Words.searched("a-b-c-d-e-f-g-h-i")).isEmpty();
        assertThat(Words.searched("word ".repeat(1_000))).isEmpty();
        assertThat(Words.searched("")).isEmpty();
        assertThat(Words.searched("🚀 & | ! ( ) :* '")).isEmpty();
    }

    @Test
    void words_that_begin_other_words_are_not_searched_again() {
        assertThat(Words.searched("a al alpha beta A alpha").orElseThrow().all())
                .containsExactly("alpha", "beta");
    }

    @Test
    void words_start_with_characters_of_the_organisation() {
        var words = Words.searched("Two words").orElseThrow();
        assertThat(words.vector(ORGANIZATION)).isEqualTo("'6789abtwo' '6789abwords'");
        assertThat(words.query(ORGANIZATION)).isEqualTo("'6789abtwo':* & '6789abwords':*");
    }
}
