package dev.okr.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HandshakeThreadTest {
    @Test
    void organisations_take_turns() throws Exception {
        var thread = new HandshakeThread();
        var isBusy = new CountDownLatch(1);
        var begin = new CountDownLatch(1);
        var order = new CopyOnWriteArrayList<String>();
        thread.execute("acme", true, () -> {
            isBusy.countDown();
            awaitQuietly(begin);
        });
        isBusy.await();
        var steps = List.of("acme", "acme", "acme", "other", "other");
        var ends = new CountDownLatch(steps.size());
        for (var organization : steps) {
            thread.execute(organization, true, () -> {
                order.add(organization);
                ends.countDown();
            });
        }
        begin.countDown();
        assertThat(ends.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(order).containsExactly("acme", "other", "acme", "other", "acme");
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
