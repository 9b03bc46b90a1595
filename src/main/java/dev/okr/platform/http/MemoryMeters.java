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

    private final List<GarbageCollectorMXBean> collectors = ManagementFactory.getGarbageCollectorMXBeans();

    @Override
    public void bindTo(MeterRegistry registry) {
        // The registry does not keep the measured object alive. The container keeps this bean.
        FunctionCounter.builder("okr.gc.seconds", this, MemoryMeters::seconds)
                .description("The time that garbage collection has taken")
                .register(registry);
        Gauge.builder("okr.heap.max.bytes", Runtime.getRuntime(), Runtime::maxMemory)
                .description("The maximum size of the heap")
                .register(registry);
    }

    private double seconds() {
        // A collector that does not measure its time returns -1.
        return collectors.stream()
                        .mapToLong(collector -> Math.max(0, collector.getCollectionTime()))
                        .sum()
                / MILLIS_PER_SECOND;
    }
}
