package dev.okr.organizations;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EmailAddressTest {

    @ParameterizedTest
    @ValueSource(strings = {"ada@acme.test", "ADA+okr@acme.test", "ада@пример.test", "a@b", "ada@erased.invalid.test"})
    void whatever_may_be_an_address_is_one(String text) {
        assertThat(EmailAddress.parse(text)).hasValue(new EmailAddress(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "ada", "ada@", "@acme.test", "a da@acme.test", "a@b@c", "<ada@acme.test>", "ada@acme.test\n"
            })
    void what_is_something_else_altogether_is_none(String text) {
        assertThat(EmailAddress.parse(text)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ada\u0000@acme.test", "ada\u001b[2J@acme.test", "ada@acme\u0085.test", "ada@\ud800.test"})
    void it_has_no_control_characters(String text) {
        assertThat(EmailAddress.parse(text)).isEmpty();
    }

    @Test
    void what_stands_for_an_erased_person_is_none() {
        var erased = EmailAddress.ofErased(UUID.randomUUID()).text();

        assertThat(EmailAddress.parse(erased)).isEmpty();
        assertThat(EmailAddress.parse(erased.toUpperCase())).isEmpty();
    }
}
