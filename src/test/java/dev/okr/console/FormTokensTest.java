package dev.okr.console;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.time.UtcClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FormTokensTest {
    private static final String KEY = Base64.getEncoder().encodeToString(new byte[32]);
    private static final Instant NOW = Instant.parse("2026-11-21T09:00:00Z");

    @Test
    void a_token_is_valid_for_twelve_hours_and_one_user() {
        var token = at(NOW).create("issuer ada");
        assertThat(at(NOW).isValid(token, "issuer ada")).isTrue();
        assertThat(at(NOW.plus(FormTokens.VALIDITY).minusSeconds(1)).isValid(token, "issuer ada"))
                .isTrue();
        assertThat(at(NOW.plus(FormTokens.VALIDITY)).isValid(token, "issuer ada"))
                .isFalse();
        assertThat(at(NOW).isValid(token, "issuer grace")).isFalse();
        assertThat(at(NOW).isValid(at(NOW).create(""), "")).isFalse();
    }

    @Test
    void the_expiry_of_a_token_cannot_be_changed() {
        var token = at(NOW).create("issuer ada");
        long end = NOW.plus(FormTokens.VALIDITY).getEpochSecond();
        var longer = token.replace(
                String.valueOf(end), String.valueOf(end + Duration.ofDays(1).toSeconds()));
        assertThat(at(NOW).isValid(longer, "issuer ada")).isFalse();
    }

    @Test
    void the_id_of_what_a_form_creates_depends_on_the_organisation_and_the_id_in_the_form() {
        var organization = UuidV7.at(NOW);
        var inForm = UuidV7.at(NOW);
        var created = at(NOW).createdId(organization, inForm, "a");
        assertThat(created)
                .isEqualTo(at(NOW).createdId(organization, inForm, "a"))
                .isNotEqualTo(inForm);
        assertThat(created.version()).isEqualTo(7);
        assertThat(created.variant()).isEqualTo(2);
        assertThat(created.getMostSignificantBits()).isEqualTo(inForm.getMostSignificantBits());
        assertThat(at(NOW).createdId(UuidV7.at(NOW), inForm, "a")).isNotEqualTo(created);
        assertThat(at(NOW).createdId(organization, UuidV7.at(NOW), "a")).isNotEqualTo(created);
        assertThat(at(NOW).createdId(organization, inForm, "b")).isNotEqualTo(created);
    }

    @Test
    void a_token_of_the_previous_key_is_valid() {
        var other = Base64.getEncoder().encodeToString("another key of thirty-two bytes!".getBytes(UTF_8));
        var token = at(NOW).create("issuer ada");
        assertThat(at(NOW, other, List.of("", KEY)).isValid(token, "issuer ada"))
                .isTrue();
        assertThat(at(NOW, other, List.of()).isValid(token, "issuer ada")).isFalse();
    }

    private static FormTokens at(Instant now) {
        return at(now, KEY, List.of());
    }

    private static FormTokens at(Instant now, String key, List<String> previousKeys) {
        return new FormTokens(Optional.of(key), Optional.of(previousKeys), new UtcClock() {
            @Override
            public Instant now() {
                return now;
            }
        });
    }
}
