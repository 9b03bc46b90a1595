package dev.okr.platform.http;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import jakarta.inject.Singleton;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * Heap metrics that work on the JVM and in a native image. Micrometer's {@code jvm_gc_*} metrics need notifications of
 * the collector, which a native image does not send.
 */
@Singleton
class MemoryMeters implements MeterBinder {
    private static final double MILLIS_PER_SECOND = 1_000;

    @Override
    public void bindTo(MeterRegistry registry) {
        FunctionCounter.builder("okr.gc.seconds", ManagementFactory.getGarbageCollectorMXBeans(), MemoryMeters::seconds)
                .description("The time that the garbage collectors used")
                .register(registry);
        Gauge.builder("okr.heap.max.bytes", Runtime.getRuntime(), Runtime::maxMemory)
                .description("The maximum size of the heap")
                .register(registry);
    }

    private static double seconds(List<GarbageCollectorMXBean> collectors) {
        return collectors.stream()
                        .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                        .sum()
                / MILLIS_PER_SECOND;
    }
}
