package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LargeOperationsTest {
    private static final UUID ORGANIZATION = UUID.randomUUID();
    private static final String LIST = "list";
    private static final long LARGE = (256 << 10) + 1;

    private final AtomicLong now = new AtomicLong();
    private final LargeOperations operations = new LargeOperations(now::get);

    @Test
    void an_operation_is_large_for_20_seconds_after_its_last_large_response() {
        operations.learn(ORGANIZATION, LIST, LARGE);
        pass(Duration.ofSeconds(15));
        operations.learn(ORGANIZATION, LIST, LARGE);
        pass(Duration.ofSeconds(19));
        operations.learn(ORGANIZATION, LIST, LARGE - 1);
        assertThat(operations.isLarge(ORGANIZATION, LIST)).isTrue();
        pass(Duration.ofSeconds(1));
        assertThat(operations.isLarge(ORGANIZATION, LIST)).isFalse();
    }

    @Test
    void other_operations_and_other_organisations_are_not_large() {
        operations.learn(ORGANIZATION, LIST, LARGE);
        operations.learn(ORGANIZATION, null, LARGE);
        assertThat(operations.isLarge(ORGANIZATION, "other")).isFalse();
        assertThat(operations.isLarge(ORGANIZATION, null)).isFalse();
        assertThat(operations.isLarge(UUID.randomUUID(), LIST)).isFalse();
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }
}
