package dev.okr.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToDoubleFunction;

/** Runs one replica at half of its maximum rate for a long time. Its use of resources must not grow. */
final class Soak {
    private static final int ENDPOINTS = 2;
    private static final int CHECK_IN_EVERY = 5;
    private static final int CLIENTS_AT_MOST = 32;
    private static final double MAX_GROWTH = 1.1;
    private static final double MAX_SAMPLE_SECONDS = 60;
    private static final int MIN_SAMPLES = 10;

    private final Restarts.Setting setting;
    private final Report report;
    private final double seconds;
    private final double warmUpSeconds;
    private final AtomicInteger numbers = new AtomicInteger();
    private final List<Sample> samples = new ArrayList<>();
    private Service service;
    private Subject subject;

    /** The use of resources at one time, and the number of check-ins so far. */
    private record Sample(double heap, double rss, double threads, double files, Tables tables, long checkIns) {
        static Sample average(List<Sample> all) {
            return new Sample(
                    mean(all, Sample::heap),
                    mean(all, Sample::rss),
                    mean(all, Sample::threads),
                    mean(all, Sample::files),
                    new Tables(
                            0,
                            (long) mean(all, sample -> sample.tables().changed()),
                            (long) mean(all, sample -> sample.tables().queue()),
                            (int) Math.round(mean(all, sample -> sample.tables().connections()))),
                    0);
        }

        private static double mean(List<Sample> all, ToDoubleFunction<Sample> value) {
            return all.stream().mapToDouble(value).average().orElseThrow();
        }
    }

    Soak(Restarts.Setting setting, double seconds, double warmUpSeconds, Report report) {
        this.setting = setting;
        this.seconds = seconds;
        this.warmUpSeconds = warmUpSeconds;
        this.report = report;
    }

    void run() throws Exception {
        var url = setting.cluster().url(setting.database());
        service = setting.leftovers().add(new Service(setting.leftovers().directory(), url, List.of()));
        try (var api = service.connect()) {
            subject = Subject.make(api, SteadyLoad.CLIENTS);
            var ledger = new Ledger(
                    setting.cluster(), setting.database(), Subject.subscribe(api, setting.receiver(), ENDPOINTS));
            double most = most();
            ledger.settle();
            report.tell("highest rate, one in five a check-in", Report.format("%.0f/s", most));
            soak(most / 2);
            compare();
        }
        service.close();
    }

    /** Finds the maximum rate. The first half of the time is a warm-up. */
    private double most() {
        try (var load = load(CLIENTS_AT_MOST, SteadyLoad.UNLIMITED)) {
            Commands.sleep(warmUpSeconds);
            int before = load.size();
            Commands.sleep(warmUpSeconds);
            return (load.size() - before) / warmUpSeconds;
        }
    }

    private void soak(double perSecond) throws Exception {
        double every = Math.min(MAX_SAMPLE_SECONDS, seconds / MIN_SAMPLES);
        long start;
        long end;
        SteadyLoad last;
        try (var load = load(SteadyLoad.CLIENTS, perSecond)) {
            start = System.nanoTime();
            last = load;
            Report.say("  at %.0f/s: second, live heap and resident MiB, threads, files, connections,", perSecond);
            Report.say("  MiB of queue tables, changed tables, kept tables, check-ins");
            for (int i = 0; i * every <= seconds; i++) {
                Commands.sleep(Math.max(0, i * every - (System.nanoTime() - start) / 1e9));
                service.emptyLog();
                sample(i * every, load);
            }
            end = System.nanoTime();
        }
        long failed = last.calls().stream().filter(Call::isFailed).count();
        last.calls().stream().filter(Call::isFailed).limit(5).forEach(call -> Report.say("  %s", call));
        report.judge(
                Report.format("%.0f s at half of this rate: failed requests", seconds),
                Report.format("%,d of %,d (%.0f/s reached)", failed, last.size(), last.size() / ((end - start) / 1e9)),
                "0",
                failed == 0);
    }

    private void sample(double second, SteadyLoad load) throws Exception {
        long checkIns = load.calls().stream()
                .filter(call -> call.isCheckIn() && !call.isFailed())
                .count();
        var tables = Tables.of(setting.cluster(), setting.database());
        var sample = new Sample(
                service.liveHeapBytes(), service.rssBytes(), service.threads(), service.openFiles(), tables, checkIns);
        samples.add(sample);
        Report.say(
                "  %4.0f  %.1f  %.0f  %.0f  %.0f  %d  %.1f  %.1f  %.1f  %,d",
                second,
                sample.heap() / 0x1p20,
                sample.rss() / 0x1p20,
                sample.threads(),
                sample.files(),
                tables.connections(),
                tables.queue() / 0x1p20,
                tables.changed() / 0x1p20,
                tables.kept() / 0x1p20,
                checkIns);
    }

    private SteadyLoad load(int clients, double perSecond) {
        return new SteadyLoad(service.port(), service.token(), subject, clients, perSecond, CHECK_IN_EVERY, numbers);
    }

    private void compare() {
        // The first sample is from the start of the load.
        var measured = samples.subList(1, samples.size());
        int half = measured.size() / 2;
        var first = Sample.average(measured.subList(0, half));
        var second = Sample.average(measured.subList(half, measured.size()));
        flat("live heap, MiB", first.heap() / 0x1p20, second.heap() / 0x1p20);
        flat("resident memory, MiB", first.rss() / 0x1p20, second.rss() / 0x1p20);
        flat("threads", first.threads(), second.threads());
        flat("open files", first.files(), second.files());
        flat(
                "connections to the database",
                first.tables().connections(),
                second.tables().connections());
        flat("queue tables, MiB", first.tables().queue() / 0x1p20, second.tables().queue() / 0x1p20);
        flat(
                "tables whose rows only change, MiB",
                first.tables().changed() / 0x1p20,
                second.tables().changed() / 0x1p20);
        flat(
                "bytes of a check-in with its events and deliveries",
                bytes(samples.getFirst(), samples.get(half)),
                bytes(samples.get(half), samples.getLast()));
    }

    private static double bytes(Sample from, Sample to) {
        return (double) (to.tables().kept() - from.tables().kept()) / (to.checkIns() - from.checkIns());
    }

    private void flat(String figure, double first, double second) {
        double growth = second / first;
        report.judge(
                "  " + figure + ": first half, second half",
                Report.format("%.1f, %.1f: %.2f times, %s", first, second, growth, growth <= MAX_GROWTH ? "flat" : "grows"),
                Report.format("<= %.1f times", MAX_GROWTH),
                growth <= MAX_GROWTH);
    }
}
