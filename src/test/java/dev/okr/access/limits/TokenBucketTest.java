package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TokenBucketTest {
    private static final int CAPACITY = 1500;

    // The value of System.nanoTime may overflow.
    private final long start = Long.MAX_VALUE - Duration.ofSeconds(30).toNanos();
    private final TokenBucket bucket = new TokenBucket(CAPACITY, start);

    @Test
    void the_quota_of_one_minute_may_be_used_in_one_burst() {
        assertThat(taken(CAPACITY + 100, start)).isEqualTo(CAPACITY);
    }

    @Test
    void the_first_response_has_the_headers_of_the_contract() {
        bucket.take(1, start);
        var quota = bucket.quota(true, start);
        assertThat(quota.policy()).isEqualTo("\"default\";q=1500;w=60");
        assertThat(quota.state()).isEqualTo("\"default\";r=1499;t=1");
    }

    @Test
    void the_bucket_is_refilled_continuously_up_to_its_capacity() {
        taken(CAPACITY, start);
        assertThat(taken(100, later(1_000))).isEqualTo(25);
        assertThat(taken(100, later(1_100))).isEqualTo(2);
        assertThat(taken(100, later(1_120))).isEqualTo(1);
        assertThat(taken(2 * CAPACITY, later(3_600_000))).isEqualTo(CAPACITY);
    }

    @Test
    void a_rejection_costs_nothing_and_says_when_to_retry() {
        var slow = new TokenBucket(6, start);
        for (int i = 0; i < 6; i++) {
            assertThat(slow.take(1, start)).isTrue();
        }
        for (int i = 0; i < 50; i++) {
            assertThat(slow.take(1, later(100))).isFalse();
        }
        assertThat(slow.quota(false, later(100)))
                .isEqualTo(new Quota(false, 6, 0, 10, 60))
                .extracting(Quota::state)
                .isEqualTo("\"default\";r=0;t=10");
        assertThat(slow.take(1, later(10_000))).isTrue();
    }

    @Test
    void a_debt_is_paid_before_requests_are_allowed() {
        bucket.reset(-50, start);
        assertThat(bucket.take(1, later(1_000))).isFalse();
        assertThat(bucket.quota(false, later(1_000))).isEqualTo(new Quota(false, CAPACITY, 0, 2, 61));
        assertThat(bucket.take(1, later(2_000))).isFalse();
        assertThat(bucket.take(1, later(2_040))).isTrue();
    }

    private long later(long millis) {
        return start + Duration.ofMillis(millis).toNanos();
    }

    private long taken(int requests, long nowNanos) {
        return IntStream.range(0, requests)
                .filter(i -> bucket.take(1, nowNanos))
                .count();
    }
}
