package dev.okr.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HandshakeThreadTest {
    private final HandshakeThread thread = new HandshakeThread();

    @Test
    void organisations_take_turns() throws Exception {
        var names = List.of("acme 1", "acme 2", "acme 3", "other 1", "other 2");
        assertThat(order(names.stream().map(name -> new Step(name, true)).toList()))
                .containsExactly("acme 1", "other 1", "acme 2", "other 2", "acme 3");
    }

    @Test
    void a_handshake_that_has_begun_comes_before_new_ones_of_its_organisation() throws Exception {
        var steps = List.of(new Step("acme 1", true), new Step("acme 2", true), new Step("acme 3", false));
        assertThat(order(steps)).containsExactly("acme 3", "acme 1", "acme 2");
    }

    /** @param name the name of the organisation and a number */
    private record Step(String name, boolean isFirst) {}

    /** Adds the steps while another one runs, and returns their names in the order in which they run. */
    private List<String> order(List<Step> steps) throws InterruptedException {
        var isBusy = new CountDownLatch(1);
        var begin = new CountDownLatch(1);
        var order = new CopyOnWriteArrayList<String>();
        thread.execute("acme", true, () -> {
            isBusy.countDown();
            awaitQuietly(begin);
        });
        isBusy.await();
        var ends = new CountDownLatch(steps.size());
        for (var step : steps) {
            thread.execute(step.name().split(" ")[0], step.isFirst(), () -> {
                order.add(step.name());
                ends.countDown();
            });
        }
        begin.countDown();
        assertThat(ends.await(10, TimeUnit.SECONDS)).isTrue();
        return order;
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
