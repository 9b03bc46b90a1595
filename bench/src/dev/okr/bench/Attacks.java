package dev.okr.bench;

import dev.okr.access.Token;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Attacks one replica with 256 MiB of heap. Meanwhile another organisation reads and checks in, and a monitor requests
 * probes and metrics. Each attack has its own service, because it may end the service. A small run uses one service for
 * all attacks, and starts another one only if it has ended.
 */
final class Attacks {
    private static final double SECONDS = 15;
    private static final double QUICK_SECONDS = 2;
    private static final double PER_SECOND = 50;

    /** Two check-ins a second. */
    private static final int CHECK_IN_EVERY = 25;

    private static final int CLIENTS = 16;
    private static final double MAX_RATIO = 5;

    /** A quiet machine answers in two milliseconds. Five times that is less than its jitter. */
    private static final double MIN_LIMIT_MILLIS = 50;

    private static final double MAX_WEBHOOK_SECONDS = 2;
    private static final double MAX_PROBE_MILLIS = 1_000;
    private static final double MAX_RSS_MIB = 512;
    private static final int LARGE_OBJECTIVES = 100;
    private static final int KEY_RESULTS = 100;
    private static final int CHAIN = 20_000;
    private static final int SILENT_ENDPOINTS = 800;
    private static final int SLOW_NAMES = 100;
    private static final int OBJECTIVES_WITH_EVENTS = 1_000;
    private static final int WEBHOOKS = 30_000;
    private static final int QUICK_PART = 10;

    /** A small run shares its machine with other work, so its limits for times are longer. */
    private static final double QUICK_SLACK = 5;

    private static final double QUICK_LIMIT_MILLIS = 2_000;

    private static final int WARM_UP_PAGES = 50;
    private static final int WARM_UP_ROUNDS = 10;
    private static final int SUBSCRIBING_CLIENTS = 8;

    /** Nothing listens on this port. */
    private static final String REFUSING_URL = "http://127.0.0.1:1/hook";
    /** Each webhook has its own host name. */
    private static final String SLOW_URL = "http://hook%d.slow.test/";

    private static final String DATABASE = "attacks";

    private final boolean quick;
    private final String only;
    private final Leftovers leftovers;
    private final Report report = new Report();
    private final String attackerToken = Service.newToken();
    private final UUID attacker = UUID.randomUUID();
    private final UUID cycle = UUID.randomUUID();

    private Attacks(boolean quick, String only, Leftovers leftovers) {
        this.quick = quick;
        this.only = only;
        this.leftovers = leftovers;
    }

    public static void main(String[] arguments) throws IOException {
        var flags = List.of(arguments);
        var leftovers = new Leftovers();
        Runtime.getRuntime().addShutdownHook(new Thread(leftovers::close));
        boolean quick = flags.contains("--quick");
        var only = flags.stream().filter(flag -> flag.startsWith("--only=")).findFirst();
        var attacks = new Attacks(quick, only.map(flag -> flag.substring(7)).orElse(""), leftovers);
        boolean passed = false;
        try {
            passed = attacks.run();
        } catch (Exception e) {
            e.printStackTrace();
            System.exit(3);
        }
        System.exit(passed ? 0 : 1);
    }

    private boolean run() throws Exception {
        var cluster = leftovers.add(new Cluster(leftovers.directory()));
        var receiver = leftovers.add(new Receiver());
        cluster.createDatabase(DATABASE, "template0");
        var token = Service.newToken();
        Subject subject;
        Endpoint endpoint;
        var key = Service.newKey();
        try (var service = start(cluster, token, true, key); var api = service.connect()) {
            subject = Subject.make(api, CLIENTS);
            endpoint = receiver.open(true);
            api.change("POST", "/v1/webhooks", webhook("http://victim.test:" + endpoint.port, "check_in.created"));
            seed(cluster);
            if (isChosen(Attack.Kind.SILENT_ENDPOINTS)) {
                subscribe(service, receiver.open(false).url(), "objective.created", SILENT_ENDPOINTS);
            }
            if (isChosen(Attack.Kind.SLOW_NAMES)) {
                subscribe(service, SLOW_URL, "key_result.created", SLOW_NAMES);
            }
            if (isChosen(Attack.Kind.MANY_WEBHOOKS)) {
                subscribe(service, REFUSING_URL, "cycle.created", WEBHOOKS);
            }
        }
        var numbers = new AtomicInteger();
        Service service = null;
        double quietMillis = 0;
        for (var kind : Attack.Kind.values()) {
            if (!isChosen(kind)) {
                continue;
            }
            if (service == null || !quick || !service.isAlive()) {
                stop(service);
                service = start(cluster, token, false, key);
                quietMillis = quietMillis(service, subject, numbers);
            }
            measure(kind, service, subject, endpoint, numbers, quietMillis);
        }
        stop(service);
        System.out.print("\n" + report);
        return report.isPassed();
    }

    private static void stop(Service service) {
        if (service != null) {
            service.close();
        }
    }

    private boolean isChosen(Attack.Kind kind) {
        return only.isEmpty() || List.of(only.split(",")).contains(kind.name().toLowerCase());
    }

    /** Subscribes the attacker, over the API, because only the service can encrypt the secrets. */
    private void subscribe(Service service, String url, String event, int full) throws InterruptedException {
        var left = new AtomicInteger(quick ? full / QUICK_PART : full);
        runTogether(service, SUBSCRIBING_CLIENTS, api -> {
            for (int number = left.getAndDecrement(); number > 0; number = left.getAndDecrement()) {
                api.change("POST", "/v1/webhooks", webhook(url.formatted(number), event));
            }
        });
    }

    /** The requests of one client. */
    @FunctionalInterface
    private interface Requests {
        void send(Api api) throws IOException;
    }

    /** Several clients of the attacker send their requests at the same time. */
    private void runTogether(Service service, int count, Requests requests) throws InterruptedException {
        var clients = new ArrayList<Thread>();
        for (int i = 0; i < count; i++) {
            clients.add(Thread.ofVirtual().start(() -> {
                try (var api = new Api(service.port(), attackerToken)) {
                    requests.send(api);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }));
        }
        for (var client : clients) {
            client.join();
        }
    }

    private static String webhook(String url, String event) {
        return "{\"url\":\"%s\",\"events\":[\"%s\"]}".formatted(url, event);
    }

    private Service start(Cluster cluster, String token, boolean isFirst, String key) throws IOException {
        // Older versions had no limit on webhooks, so the attacker may have more.
        var settings = Service.SETTINGS_WITH_SHARES + (isFirst ? " OKR_LIMITS_WEBHOOKS=1000000" : "");
        var options = new ArrayList<>(ScriptedNames.options(!isFirst));
        options.addAll(List.of(System.getenv()
                .getOrDefault("ATTACKED_JAVA_OPTIONS", "-XX:MaxDirectMemorySize=64m -XX:+ExitOnOutOfMemoryError")
                .split(" ")));
        return leftovers.add(new Service(leftovers.directory(), cluster.url(DATABASE), options, token, isFirst, key, settings));
    }

    private void measure(
            Attack.Kind kind,
            Service service,
            Subject subject,
            Endpoint endpoint,
            AtomicInteger numbers,
            double quietMillis)
            throws Exception {
        double seconds = seconds();
        var name = kind.name().toLowerCase().replace('_', ' ');
        List<Call> attacked;
        double rss = 0;
        double worstProbe;
        double worstCreation;
        try (var attack = new Attack(kind, service.port(), attackerToken, quick, target(kind));
                var monitor = new Monitor(service.port());
                var subscriber = kind == Attack.Kind.SLOW_NAMES ? new Subscriber(service) : null;
                var load = load(service, subject, numbers)) {
            for (double second = 0; second < seconds && service.isAlive(); second += 0.5) {
                Commands.sleep(0.5);
                rss = Math.max(rss, service.isAlive() ? service.rssBytes() / 1048576.0 : rss);
            }
            attacked = load.calls();
            worstProbe = monitor.worstMillis();
            worstCreation = subscriber == null ? 0 : subscriber.worstMillis();
            report.tell(name + ": connections that the service closed", "%,d".formatted(attack.closed()));
        }
        if (!service.isAlive()) {
            report.judge("  replica", "ended", "runs", false);
            return;
        }
        long failed = attacked.stream().filter(Call::isFailed).count();
        attacked.stream().filter(Call::isFailed).limit(3).forEach(call -> Report.say("  %s", call));
        report.judge(
                "  failed requests of the other organisation",
                "%,d of %,d".formatted(failed, attacked.size()),
                "0",
                failed == 0);
        double during = p99(attacked);
        double limit = Math.max(quick ? QUICK_LIMIT_MILLIS : MIN_LIMIT_MILLIS, MAX_RATIO * quietMillis);
        report.judge(
                "  p99 of its requests, quiet and attacked",
                Report.format("%.1f, %.1f ms", quietMillis, during),
                Report.format("<= %.0f ms", limit),
                during <= limit);
        Commands.sleep(1);
        double webhook = attacked.stream()
                .filter(call -> call.isCheckIn() && !call.isFailed())
                .mapToDouble(call -> seconds(endpoint, call.number()))
                .max()
                .orElse(Double.NaN);
        report.judge(
                "  its slowest webhook",
                Report.format("%.2f s", webhook),
                Report.format("<= %.0f s", slack() * MAX_WEBHOOK_SECONDS),
                webhook <= slack() * MAX_WEBHOOK_SECONDS);
        if (worstCreation > 0) {
            report.judge(
                    "  its slowest POST /v1/webhooks",
                    Report.format("%.0f ms", worstCreation),
                    Report.format("<= %.0f ms", slack() * MAX_PROBE_MILLIS),
                    worstCreation <= slack() * MAX_PROBE_MILLIS);
        }
        report.judge(
                "  slowest probe or metrics",
                Report.format("%.0f ms", worstProbe),
                Report.format("<= %.0f ms", slack() * MAX_PROBE_MILLIS),
                worstProbe <= slack() * MAX_PROBE_MILLIS);
        report.judge(
                "  resident memory",
                Report.format("%.0f MiB", rss),
                Report.format("<= %.0f MiB", MAX_RSS_MIB),
                rss <= MAX_RSS_MIB);
    }

    private double slack() {
        return quick ? QUICK_SLACK : 1;
    }

    private double seconds() {
        return quick ? QUICK_SECONDS : SECONDS;
    }

    /** The 99th percentile without an attack, after the code is warm. */
    private double quietMillis(Service service, Subject subject, AtomicInteger numbers)
            throws IOException, InterruptedException {
        try (var load = load(service, subject, numbers)) {
            Commands.sleep(seconds());
        }
        readLargeResponses(service);
        try (var load = load(service, subject, numbers)) {
            Commands.sleep(seconds());
            return p99(load.calls());
        }
    }

    /**
     * Warms up the code for large responses, and for rejecting many at once. Otherwise the first second of an attack
     * measures the compiler. The service creates the OpenAPI document when it is requested first.
     */
    private void readLargeResponses(Service service) throws IOException, InterruptedException {
        try (var api = new Api(service.port(), attackerToken)) {
            for (int i = 0; i < WARM_UP_PAGES; i++) {
                api.get("/v1/objectives?per_page=100");
                api.get("/q/openapi");
            }
        }
        runTogether(service, Attack.Kind.SLOW_READERS.connections, api -> {
            for (int i = 0; i < WARM_UP_ROUNDS; i++) {
                api.get("/v1/objectives?per_page=100");
            }
        });
    }

    private static SteadyLoad load(Service service, Subject subject, AtomicInteger numbers) {
        return new SteadyLoad(
                service.port(), service.token(), subject, CLIENTS, PER_SECOND, CHECK_IN_EVERY, numbers);
    }

    private static double p99(List<Call> calls) {
        return Numbers.percentile(calls.stream().mapToDouble(Call::millis).toArray(), 0.99);
    }

    private static double seconds(Endpoint endpoint, int number) {
        long arrived = endpoint.arrivedMicros(number);
        return arrived == 0 ? Double.POSITIVE_INFINITY : (arrived - endpoint.happenedMicros(number)) / 1e6;
    }

    /** The objectives that an attack changes. The ends of the chain for alignments. For other attacks, the cycle. */
    private List<UUID> target(Attack.Kind kind) {
        return switch (kind) {
            case LONG_CHAIN -> List.of(objective(1), objective(CHAIN));
            case SLOW_NAMES ->
                IntStream.rangeClosed(1, OBJECTIVES_WITH_EVENTS)
                        .mapToObj(this::objective)
                        .toList();
            default -> List.of(cycle);
        };
    }

    private UUID objective(int number) {
        return new UUID(attacker.getMostSignificantBits(), number);
    }

    /** The attacking organisation: pages of several megabytes, and a chain of alignments that older versions allowed. */
    private void seed(Cluster cluster) throws SQLException {
        var user = UUID.randomUUID();
        var statements = new ArrayList<String>();
        statements.add("INSERT INTO organization (id, slug, name, plan, created_at)"
                + " VALUES ('%s', 'attacker', 'Attacker', 'business', now())".formatted(attacker));
        statements.add("INSERT INTO users (organization_id, id, email, name, role, created_at)"
                + " VALUES ('%s', '%s', 'mallory@attacker.test', 'Mallory', 'admin', now())".formatted(attacker, user));
        statements.add(
                "INSERT INTO cycle (organization_id, id, name, starts_at, ends_at, status, created_at, updated_at)"
                        + " VALUES ('%s', '%s', 'C', now(), now() + interval '90 days', 'active', now(), now())"
                                .formatted(attacker, cycle));
        var prefix = attacker.toString().substring(0, 18);
        var id = "('%s-' || lpad(to_hex(n), 16, '0'))".formatted(prefix);
        var dashed = "(substr(%1$s, 1, 23) || '-' || substr(%1$s, 24))::uuid".formatted(id);
        statements.add("INSERT INTO objective (organization_id, id, title, description, owner_id, cycle_id, progress,"
                + " status, created_at, updated_at) SELECT '%s', %s, 'O',".formatted(attacker, dashed)
                // Sorted newest first, the page consists of the large ones. Each character is twelve bytes of JSON.
                + " CASE WHEN n > %d THEN repeat(U&'\\+01F600', 4096) END,".formatted(CHAIN - LARGE_OBJECTIVES)
                + " '%s', '%s', 0, 'on_track', now() + n * interval '1 second', now()".formatted(user, cycle)
                + " FROM generate_series(1, %d) n".formatted(CHAIN));
        statements.add("INSERT INTO key_result (organization_id, id, objective_id, title, metric_type, start_value,"
                + " current_value, target_value, progress, owner_id, created_at, updated_at)"
                + " SELECT '%s', gen_random_uuid(), %s, repeat(U&'\\+01F600', 250),".formatted(attacker, dashed)
                + " 'number', 0, 0, 1, 0, '%s', now(), now()".formatted(user)
                + " FROM generate_series(%d, %d) n, generate_series(1, %d)"
                        .formatted(CHAIN - LARGE_OBJECTIVES + 1, CHAIN, KEY_RESULTS));
        statements.add("INSERT INTO alignment (organization_id, id, parent_objective_id, child_objective_id,"
                + " alignment_type, created_at, updated_at)"
                + " SELECT '%s', gen_random_uuid(), %s, %s, 'supports', now(), now()"
                        .formatted(attacker, dashed, dashed.replace("to_hex(n)", "to_hex(n + 1)"))
                + " FROM generate_series(1, %d) n".formatted(CHAIN - 1));
        statements.add("ANALYZE");
        cluster.execute(DATABASE, statements.toArray(String[]::new));
        try (var connection = cluster.connect(DATABASE);
                var insert = connection.prepareStatement("INSERT INTO api_key (organization_id, id, user_id, name,"
                        + " token_hash, scopes, created_at) VALUES (?, ?, ?, 'attack', ?, '{read,write,webhooks}', now())")) {
            insert.setObject(1, attacker);
            insert.setObject(2, UUID.randomUUID());
            insert.setObject(3, user);
            insert.setBytes(4, Token.hash(attackerToken));
            insert.executeUpdate();
        }
    }
}
