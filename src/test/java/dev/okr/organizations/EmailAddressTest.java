package dev.okr.organizations;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EmailAddressTest {

    @ParameterizedTest
    @ValueSource(strings = {"ada@acme.test", "ADA+okr@acme.test", "ада@пример.test", "a@b", "ada@erased.invalid.test"})
    void possible_addresses_are_accepted(String text) {
        assertThat(EmailAddress.parse(text)).hasValue(new EmailAddress(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "ada", "ada@", "@acme.test", "a da@acme.test", "a@b@c", "<ada@acme.test>", "ada@acme.test\n"
            })
    void text_that_is_clearly_not_an_address_is_rejected(String text) {
        assertThat(EmailAddress.parse(text)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ada\u0000@acme.test", "ada\u001b[2J@acme.test", "ada@acme\u0085.test", "ada@\ud800.test"})
    void control_characters_are_rejected(String text) {
        assertThat(EmailAddress.parse(text)).isEmpty();
    }

    @Test
    void the_address_of_an_erased_user_is_rejected() {
        var erased = EmailAddress.ofErased().text();

        assertThat(EmailAddress.parse(erased)).isEmpty();
        assertThat(EmailAddress.parse(erased.toUpperCase())).isEmpty();
    }
}
