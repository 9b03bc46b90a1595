package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Replicas that share a bucket, with a simulated clock. */
class SharedBucketTest {
    private static final SharedBucket.Key KEY = new SharedBucket.Key(new UUID(0, 1), new UUID(0, 2));
    private static final long STEP_NANOS = Duration.ofMillis(1).toNanos();
    private static final long SECOND_NANOS = Duration.ofSeconds(1).toNanos();

    @ParameterizedTest
    @CsvSource({
        // quota, replicas, requests per second, the first replica's share of them, seconds
        "1500, 1, 5000, 1.0, 20",
        "1500, 2, 5000, 0.5, 20",
        "1500, 2, 5000, 0.5, 60",
        "1500, 2, 5000, 1.0, 20",
        "1500, 2, 5000, 0.9, 60",
        "1500, 3, 9000, 0.33, 60",
        "1500, 8, 9000, 0.125, 60",
        "1500, 8, 9000, 1.0, 60",
        "1500, 8, 9000, 0.8, 60",
        "120, 1, 1000, 1.0, 20",
        "120, 2, 1000, 0.5, 20",
        "120, 2, 1000, 0.5, 60",
        "120, 3, 1000, 0.9, 60",
        "6000, 3, 20000, 0.4, 60",
    })
    void replicas_together_allow_the_quota(int quota, int replicas, int perSecond, double part, int seconds) {
        var service = new Service(quota, replicas);
        long admitted = service.run(perSecond, part, seconds);
        assertThat(admitted).isCloseTo(Math.round(quota + quota / 60.0 * seconds), Percentage.withPercentage(5));
    }

    @ParameterizedTest
    @CsvSource({"1, 1.0", "2, 0.5", "2, 1.0", "2, 0.9", "3, 0.33", "8, 0.125"})
    void clients_within_the_quota_are_always_allowed(int replicas, double part) {
        var service = new Service(1500, replicas);
        assertThat(service.run(24, part, 120)).isGreaterThanOrEqualTo(24 * 120 - 1);
        assertThat(service.refused).isZero();
    }

    @Test
    void a_new_replica_learns_that_the_bucket_is_empty() {
        var service = new Service(1500, 1);
        service.run(5000, 1, 2);
        service.replicas.set(0, new SharedBucket(KEY, 1500, service.nowNanos));
        long admitted = service.run(5000, 1, 1);
        assertThat(admitted).isLessThan(25 + 10);
    }

    @Test
    void requests_of_a_failed_report_are_in_the_next_report() {
        var bucket = new SharedBucket(KEY, 100, 0);
        bucket.take(1, 0);
        bucket.take(1, 0);
        assertThat(bucket.report()).isEqualTo(2);
        // The database does not answer, and requests continue.
        bucket.take(1, 0);
        assertThat(bucket.report()).isEqualTo(3);
        bucket.take(1, 0);
        bucket.synchronise(new SharedBucket.Left(50, 1), 1, 0);
        assertThat(bucket.look(0).remaining()).isEqualTo(49);
        assertThat(bucket.report()).isEqualTo(1);
    }

    /** Replicas that synchronise every second, and their shared table. */
    private static final class Service {
        private final Random random = new Random(1);
        private final List<SharedBucket> replicas = new ArrayList<>();
        private final List<Long> synchronisedNanos = new ArrayList<>();
        private final TokenBucket table;
        private long nowNanos;
        private long refused;
        private long reports;

        Service(int quota, int count) {
            table = new TokenBucket(quota, 0);
            for (int i = 0; i < count; i++) {
                replicas.add(new SharedBucket(KEY, quota, 0));
                synchronisedNanos.add(-SECOND_NANOS);
            }
        }

        /** Returns the number of allowed requests. */
        long run(int perSecond, double partOfFirst, int seconds) {
            long admitted = 0;
            double due = 0;
            for (long until = nowNanos + seconds * SECOND_NANOS; nowNanos < until; nowNanos += STEP_NANOS) {
                for (due += perSecond / 1000.0; due >= 1; due--) {
                    if (replicas.get(next(partOfFirst))
                            .take(replicas.size(), nowNanos)
                            .admitted()) {
                        admitted++;
                    } else {
                        refused++;
                    }
                }
                synchronise();
            }
            return admitted;
        }

        private int next(double partOfFirst) {
            return replicas.size() == 1 || random.nextDouble() < partOfFirst
                    ? 0
                    : 1 + random.nextInt(replicas.size() - 1);
        }

        private void synchronise() {
            for (int i = 0; i < replicas.size(); i++) {
                if (nowNanos - synchronisedNanos.get(i) < SECOND_NANOS) {
                    continue;
                }
                int consumed = replicas.get(i).report();
                if (consumed > 0) {
                    table.reset(table.tokens(nowNanos) - consumed, nowNanos);
                    replicas.get(i)
                            .synchronise(
                                    new SharedBucket.Left(table.tokens(nowNanos), ++reports),
                                    replicas.size(),
                                    nowNanos);
                    synchronisedNanos.set(i, nowNanos);
                }
            }
        }
    }
}
