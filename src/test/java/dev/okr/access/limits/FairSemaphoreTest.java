package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FairSemaphoreTest {
    @Test
    void permits_are_given_in_the_order_of_requests() {
        var semaphore = new FairSemaphore(1);
        var first = semaphore.acquire();
        var second = semaphore.acquire();
        var third = semaphore.acquire();
        assertThat(first).isDone();
        assertThat(second).isNotDone();
        semaphore.release(first);
        assertThat(second).isDone();
        assertThat(third).isNotDone();
        semaphore.release(second);
        assertThat(third).isDone();
    }

    @Test
    void a_request_that_stops_waiting_takes_no_permit() {
        var semaphore = new FairSemaphore(1);
        var first = semaphore.acquire();
        var second = semaphore.acquire();
        semaphore.release(second);
        semaphore.release(first);
        assertThat(second).isNotDone();
        assertThat(semaphore.acquire()).isDone();
        assertThat(semaphore.acquire()).isNotDone();
    }
}
