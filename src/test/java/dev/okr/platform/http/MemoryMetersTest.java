package dev.okr.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

class MemoryMetersTest {
    private static final int MAX_COLLECTIONS = 20;

    @Test
    void the_time_of_collections_grows() {
        var registry = new SimpleMeterRegistry();
        var meters = new MemoryMeters();
        meters.bindTo(registry);
        var counter = registry.get("okr.gc.seconds").functionCounter();

        System.gc();
        double before = counter.count();
        for (int i = 0; i < MAX_COLLECTIONS && counter.count() == before; i++) {
            System.gc();
        }

        assertThat(counter.count()).isGreaterThan(before);
        assertThat(meters).isNotNull();
        assertThat(registry.get("okr.heap.max.bytes").gauge().value()).isPositive();
    }
}
