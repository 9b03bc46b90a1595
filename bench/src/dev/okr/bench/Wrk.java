package dev.okr.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Runs the load generator wrk and parses its output. */
final class Wrk {
    static final int CONNECTIONS = 32;

    static final int THREADS = 2;

    /** The default deadline of the service, {@code okr.limits.request-deadline}. */
    private static final String TIMEOUT = "10s";

    private static final Pattern RESULT = Pattern.compile("RESULT (.*)");

    /** Each request is a random target, with random values if it is a check-in or a batch of them. */
    private static final String SCRIPT = """
            local targets = {
            %s
            }
            local threads = 0
            local prepared = {}
            function setup(thread)
                threads = threads + 1
                thread:set("seed", %d + threads)
            end
            function init(args)
                math.randomseed(seed)
                for i, target in ipairs(targets) do
                    local headers = { ["Authorization"] = "Bearer " .. target[2], ["Content-Type"] = "application/json" }
                    prepared[i] = headers
                    if target[3] == target[4] then
                        prepared[i] = wrk.format("GET", target[1], headers)
                    end
                end
            end
            function request()
                local i = math.random(#targets)
                if type(prepared[i]) == "string" then
                    return prepared[i]
                end
                local target = targets[i]
                local items = {}
                for j, id in ipairs(target[5] or { "" }) do
                    local value = target[3] + (target[4] - target[3]) * math.random()
                    local key = target[5] and string.format('"key_result_id":"%%s",', id) or ""
                    items[j] = string.format('{%%s"value":%%.2f,"note":"Step %%06d done today"}', key, value,
                        math.random(0, 999999))
                end
                local body = table.concat(items, ",")
                if target[5] then
                    body = '{"check_ins":[' .. body .. "]}"
                end
                return wrk.format("POST", target[1], prepared[i], body)
            end
            function done(summary, latency, requests)
                local errors = summary.errors
                local stat = io.open("/proc/self/stat"):read("*a"):match(".*%%) (.*)")
                local fields = {}
                for field in stat:gmatch("%%S+") do fields[#fields + 1] = tonumber(field) or 0 end
                print(string.format("RESULT %%d %%d %%d %%d %%d %%d %%d %%d %%d", summary.requests, summary.duration,
                    errors.connect, errors.read + errors.write, errors.status, errors.timeout,
                    latency:percentile(50), latency:percentile(99), fields[12] + fields[13]))
            end
            """;

    private final Path script;
    private final int port;

    Wrk(Path directory, String name, int port, List<Target> targets) throws IOException {
        this.port = port;
        var lines = targets.stream()
                .map(Target::script)
                .collect(Collectors.joining("\n"));
        script = Files.writeString(
                directory.resolve(name.replaceAll("[^a-z0-9]+", "-") + ".lua"),
                Report.format(SCRIPT, lines, System.nanoTime() % 1_000_000));
    }

    /**
     * The result of a run.
     *
     * @param errors connection failures and responses with a status from 400
     * @param p50 in milliseconds, like p99
     * @param cpuSeconds the processor time of wrk itself
     */
    record Run(long requests, double seconds, Errors errors, double p50, double p99, double cpuSeconds) {
        double perSecond() {
            return requests / seconds;
        }
    }

    /** The number of errors of each kind. */
    record Errors(long connects, long sockets, long statuses, long timeouts) {
        long all() {
            return connects + sockets + statuses + timeouts;
        }
    }

    Run run(int seconds, int connections, int threads) {
        var output = Commands.run(List.of(
                "wrk",
                "-t" + threads,
                "-c" + connections,
                "-d" + seconds + "s",
                "--timeout",
                TIMEOUT,
                "-s",
                script.toString(),
                "http://127.0.0.1:" + port));
        var matcher = RESULT.matcher(output);
        if (!matcher.find()) {
            throw new IllegalStateException(output);
        }
        var numbers = matcher.group(1).split(" ");
        var values = Arrays.stream(numbers).mapToLong(Long::parseLong).toArray();
        return new Run(
                values[0],
                values[1] / 1e6,
                new Errors(values[2], values[3], values[4], values[5]),
                values[6] / 1e3,
                values[7] / 1e3,
                values[8] / 100.0);
    }
}
