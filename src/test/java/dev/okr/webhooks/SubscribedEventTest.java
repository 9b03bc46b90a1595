package dev.okr.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.junit.jupiter.api.Test;

class SubscribedEventTest {

    @Test
    void the_documented_values_are_the_ones_that_are_accepted() {
        var schema = SubscribedEvent.class.getAnnotation(Schema.class);
        assertThat(schema.enumeration()).containsExactlyInAnyOrderElementsOf(SubscribedEvent.CHOICES);
    }

    @Test
    void event_types_are_a_resource_and_an_action() {
        assertThat(SubscribedEvent.CHOICES)
                .contains("*", "key_result.created", "check_in.updated", "cycle.updated", "alignment.deleted")
                .doesNotContain("user.deleted", "check_in.restored", "alignment.restored");
    }
}
