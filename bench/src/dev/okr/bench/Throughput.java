package dev.okr.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Measures deliveries per second while there are always pending deliveries. */
final class Throughput {
    /** The number of pending deliveries to keep. It is high enough that the queue never becomes empty. */
    private static final int BACKLOG = 4_000;

    private static final int MAX_BATCH_EVENTS = 500;
    private static final double SLICE_SECONDS = 5;
    private static final double MAX_DRAIN_SECONDS = 60;

    private final Cluster cluster;
    private final Service service;
    private final Queue queue;
    private final AtomicInteger numbers;

    Throughput(Cluster cluster, Service service, Queue queue, AtomicInteger numbers) {
        this.cluster = cluster;
        this.service = service;
        this.queue = queue;
        this.numbers = numbers;
    }

    /**
     * @param arrived deliveries per second at the receiver, the median of slices of five seconds
     * @param slowest the same for the slowest slice
     * @param recorded deliveries per second that the service recorded as succeeded, over the whole time
     * @param serviceMillis the service's processor time per delivery
     * @param databaseMillis the database's processor time per delivery
     * @param benchmarkMillis the benchmark's processor time per delivery
     * @param busy the utilisation of the machine's processors
     */
    record Rate(
            double arrived,
            double slowest,
            double recorded,
            double serviceMillis,
            double databaseMillis,
            double benchmarkMillis,
            double busy) {}

    Rate run(List<Endpoint> endpoints, String type, double warmUpSeconds, double seconds)
            throws SQLException, IOException {
        long before = received(endpoints);
        int producedEvents = 0;
        int slices = (int) Math.max(1, Math.round(seconds / SLICE_SECONDS));
        double sliceSeconds = seconds / slices;
        var rates = new double[slices];
        int slice = -1;
        long start = System.nanoTime();
        long sliceStart = start;
        long sliceReceived = 0;
        long windowStart = 0;
        long recordedBefore = 0;
        Usage usageBefore = null;
        while (slice < slices) {
            if ((long) producedEvents * endpoints.size() - (received(endpoints) - before) < BACKLOG) {
                int events = Math.min(MAX_BATCH_EVENTS, BACKLOG / endpoints.size());
                queue.produce(type, numbers.getAndAdd(events) + 1, events);
                producedEvents += events;
            } else {
                Commands.sleep(0.01);
            }
            long now = System.nanoTime();
            double sliceLength = slice < 0 ? warmUpSeconds : sliceSeconds;
            if ((now - sliceStart) / 1e9 >= sliceLength) {
                long received = received(endpoints);
                if (slice < 0) {
                    windowStart = now;
                    recordedBefore = queue.recorded();
                    usageBefore = Usage.now(service, cluster);
                } else {
                    rates[slice] = (received - sliceReceived) / ((now - sliceStart) / 1e9);
                }
                sliceStart = now;
                sliceReceived = received;
                slice++;
            }
        }
        double length = (System.nanoTime() - windowStart) / 1e9;
        var usage = Usage.now(service, cluster).since(usageBefore);
        double recorded = (queue.recorded() - recordedBefore) / length;
        drain(endpoints, before, producedEvents);
        double deliveries = Numbers.sum(rates) * sliceSeconds;
        return new Rate(
                Numbers.median(rates),
                Numbers.percentile(rates, 0),
                recorded,
                usage.service() * 1e3 / deliveries,
                usage.database() * 1e3 / deliveries,
                usage.benchmark() * 1e3 / deliveries,
                usage.machine() / (length * Runtime.getRuntime().availableProcessors()));
    }

    /** Waits for deliveries in flight. None may be lost. */
    private void drain(List<Endpoint> endpoints, long before, int producedEvents) {
        long expected = before + (long) producedEvents * endpoints.size();
        long deadline = System.nanoTime() + (long) (MAX_DRAIN_SECONDS * 1e9);
        while (received(endpoints) < expected) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(
                        "%d of %d deliveries are missing".formatted(expected - received(endpoints), expected - before));
            }
            Commands.sleep(0.01);
        }
    }

    private static long received(List<Endpoint> endpoints) {
        return endpoints.stream().mapToLong(Endpoint::received).sum();
    }

    /** The processor time used so far, in seconds. */
    private record Usage(double service, double database, double benchmark, double machine) {
        private static final double TICKS_PER_SECOND = 100;

        static Usage now(Service service, Cluster cluster) throws IOException {
            var benchmark = ProcessHandle.current().info().totalCpuDuration().orElseThrow();
            // user, nice, system, idle, iowait, irq, softirq
            var times = Files.readAllLines(Path.of("/proc/stat")).getFirst().split(" +");
            long busy = 0;
            for (int i : new int[] {1, 2, 3, 6, 7}) {
                busy += Long.parseLong(times[i]);
            }
            return new Usage(
                    service.cpuSeconds(), cluster.cpuSeconds(), benchmark.toNanos() / 1e9, busy / TICKS_PER_SECOND);
        }

        Usage since(Usage earlier) {
            return new Usage(
                    service - earlier.service,
                    database - earlier.database,
                    benchmark - earlier.benchmark,
                    machine - earlier.machine);
        }
    }
}
