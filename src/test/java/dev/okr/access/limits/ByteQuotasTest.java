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
            charge(quotas, GREEDY, UUID.randomUUID(), MEGABYTE);
        }
        for (int i = 0; i < 100; i++) {
            assertThat(refusal(quotas, MEGABYTE).code()).isEqualTo(ErrorCode.RATE_LIMITED);
        }
        assertThat(refusal(quotas, 0).retryAfter()).isEqualTo(Duration.ofSeconds(1));
        charge(quotas, UUID.randomUUID(), UUID.randomUUID(), MEGABYTE);

        nowNanos += Duration.ofMinutes(2).toNanos();
        charge(quotas, GREEDY, UUID.randomUUID(), MEGABYTE);
        charge(quotas, GREEDY, UUID.randomUUID(), MEGABYTE);
        refusal(quotas, 1);
    }

    @Test
    void a_body_that_is_larger_than_the_quota_is_paid_afterwards() {
        var quotas = new ByteQuotas(1, () -> nowNanos);
        charge(quotas, GREEDY, UUID.randomUUID(), 3 * MEGABYTE);
        assertThat(refusal(quotas, 1).retryAfter()).isBetween(Duration.ofHours(2), Duration.ofMinutes(121));
        nowNanos += Duration.ofMinutes(121).toNanos();
        charge(quotas, GREEDY, UUID.randomUUID(), 1);
    }

    @Test
    void small_bodies_at_a_high_rate_never_reach_the_default() {
        var quotas = new ByteQuotas(1024, () -> nowNanos);
        assertThatCode(() -> {
                    for (int seconds = 0; seconds < Duration.ofHours(12).toSeconds(); seconds++) {
                        nowNanos += Duration.ofSeconds(1).toNanos();
                        charge(quotas, GREEDY, UUID.randomUUID(), 250 << 10);
                    }
                })
                .doesNotThrowAnyException();
    }

    @Test
    void a_user_leaves_half_of_the_quota_to_the_others() {
        var quotas = new ByteQuotas(60, () -> nowNanos);
        var user = UUID.randomUUID();
        for (int i = 0; i < 30; i++) {
            charge(quotas, GREEDY, user, MEGABYTE);
        }
        for (int i = 0; i < 100; i++) {
            var refused = catchThrowableOfType(Failure.class, () -> charge(quotas, GREEDY, user, MEGABYTE));
            assertThat(refused).hasMessageContaining("This user");
        }
        for (int i = 0; i < 30; i++) {
            charge(quotas, GREEDY, UUID.randomUUID(), MEGABYTE);
        }
        refusal(quotas, 1);
    }

    @Test
    void stored_data_counts_by_its_size_in_the_database() {
        var quotas = new ByteQuotas(4, () -> nowNanos);
        var user = UUID.randomUUID();
        // A user may use 2 MiB.
        quotas.chargeEvents(GREEDY, user, 4 * MEGABYTE - 8_192);
        quotas.chargeCheckIns(GREEDY, user, 1_020);
        quotas.require(GREEDY, user);
        // A file of the usual size costs nothing.
        quotas.chargeEventsOfImport(GREEDY, user, 8 * MEGABYTE, 2 * MEGABYTE);
        quotas.require(GREEDY, user);
        quotas.chargeEventsOfImport(GREEDY, user, MEGABYTE, 0);
        assertThat(catchThrowableOfType(Failure.class, () -> quotas.require(GREEDY, user)))
                .hasMessageContaining("This user");
    }

    @Test
    void zero_means_no_limit() {
        assertThatCode(() -> charge(new ByteQuotas(0, () -> nowNanos), GREEDY, UUID.randomUUID(), Long.MAX_VALUE))
                .doesNotThrowAnyException();
    }

    private static Failure refusal(ByteQuotas quotas, long bytes) {
        return catchThrowableOfType(Failure.class, () -> charge(quotas, GREEDY, UUID.randomUUID(), bytes));
    }

    private static void charge(ByteQuotas quotas, UUID organization, UUID user, long bytes) {
        quotas.require(organization, user);
        quotas.charge(organization, user, bytes);
    }
}
