package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ByteQuotasTest {
    private static final int MEGABYTE = 1 << 20;
    private static final UUID GREEDY = UUID.randomUUID();

    private long nowNanos;

    @Test
    void the_quota_of_an_hour_may_be_used_in_one_burst_and_is_refilled_continuously() {
        var quotas = new ByteQuotas(60, () -> nowNanos);
        for (int i = 0; i < 60; i++) {
            quotas.charge(GREEDY, UUID.randomUUID(), MEGABYTE);
        }
        for (int i = 0; i < 100; i++) {
            assertThat(refusal(quotas, MEGABYTE).code()).isEqualTo(ErrorCode.RATE_LIMITED);
        }
        assertThat(refusal(quotas, 0).retryAfter()).isEqualTo(Duration.ofSeconds(1));
        quotas.charge(UUID.randomUUID(), UUID.randomUUID(), MEGABYTE);

        nowNanos += Duration.ofMinutes(2).toNanos();
        quotas.charge(GREEDY, UUID.randomUUID(), MEGABYTE);
        quotas.charge(GREEDY, UUID.randomUUID(), MEGABYTE);
        refusal(quotas, 1);
    }

    @Test
    void a_body_that_is_larger_than_the_quota_is_paid_afterwards() {
        var quotas = new ByteQuotas(1, () -> nowNanos);
        quotas.charge(GREEDY, UUID.randomUUID(), 3 * MEGABYTE);
        assertThat(refusal(quotas, 1).retryAfter()).isBetween(Duration.ofHours(2), Duration.ofMinutes(121));
        nowNanos += Duration.ofMinutes(121).toNanos();
        quotas.charge(GREEDY, UUID.randomUUID(), 1);
    }

    @Test
    void small_bodies_at_a_high_rate_never_reach_the_default() {
        var quotas = new ByteQuotas(1024, () -> nowNanos);
        assertThatCode(() -> {
                    for (int seconds = 0; seconds < Duration.ofHours(12).toSeconds(); seconds++) {
                        nowNanos += Duration.ofSeconds(1).toNanos();
                        quotas.charge(GREEDY, UUID.randomUUID(), 250 << 10);
                    }
                })
                .doesNotThrowAnyException();
    }

    @Test
    void a_user_leaves_half_of_the_quota_to_the_others() {
        var quotas = new ByteQuotas(60, () -> nowNanos);
        var user = UUID.randomUUID();
        for (int i = 0; i < 30; i++) {
            quotas.charge(GREEDY, user, MEGABYTE);
        }
        for (int i = 0; i < 100; i++) {
            var refused = catchThrowableOfType(Failure.class, () -> quotas.charge(GREEDY, user, MEGABYTE));
            assertThat(refused).hasMessageContaining("This user");
        }
        for (int i = 0; i < 30; i++) {
            quotas.charge(GREEDY, UUID.randomUUID(), MEGABYTE);
        }
        refusal(quotas, 1);
    }

    @Test
    void zero_means_no_limit() {
        assertThatCode(() -> new ByteQuotas(0, () -> nowNanos).charge(GREEDY, UUID.randomUUID(), Long.MAX_VALUE))
                .doesNotThrowAnyException();
    }

    private static Failure refusal(ByteQuotas quotas, long bytes) {
        return catchThrowableOfType(Failure.class, () -> quotas.charge(GREEDY, UUID.randomUUID(), bytes));
    }
}
