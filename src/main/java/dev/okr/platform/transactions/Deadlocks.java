package dev.okr.platform.transactions;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import jakarta.inject.Singleton;
import java.util.concurrent.atomic.LongAdder;

/** Counts deadlocks. The service retries the transactions, so nothing else shows the deadlocks. */
@Singleton
class Deadlocks implements MeterBinder {
    private static final LongAdder COUNT = new LongAdder();

    static void count(Throwable failure) {
        if (SqlFailures.isDeadlock(failure)) {
            COUNT.increment();
        }
    }

    @Override
    public void bindTo(MeterRegistry metrics) {
        FunctionCounter.builder("okr.database.deadlocks", COUNT, LongAdder::sum)
                .description("Transactions that the database aborted because of a deadlock")
                .register(metrics);
    }
}
