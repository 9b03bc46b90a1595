package dev.okr.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
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

    /** The time would be quadratic if each sigma were compared with its word, or if long runs of marks were sorted. */
    @Test
    void long_texts_take_bounded_time() {
        var limit = Duration.ofSeconds(10);
        assertTimeoutPreemptively(limit, () -> Words.of("Σ".repeat(500_000)));
        assertTimeoutPreemptively(limit, () -> Words.of("\u0345".repeat(300_000) + "\u0301\uFF9E".repeat(300_000)));
    }

    @Test
    void marks_of_letters_are_ignored_but_the_iota_subscript_is_a_letter() {
        assertThat(Words.of("ᾳ α\u0345 Ç\u0323 \u0344x ｶﾞ").all()).containsExactly("αι", "c", "x", "カ");
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
        assertThat(Words.searched("a" + " ".repeat(4_000))).isEmpty();
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
