package dev.okr.bench;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The command-line flags. */
record Options(List<String> flags) {
    static final String USAGE =
            """
            usage: bench/speed [--quick] [--size=S|L|FRACTION] [--data=DIR] [--only=PARTS] [--details] [--jfr=FILE]
                               [--explain=FILE]
              --size   S for small data only; L, or a fraction of L such as 0.01, for small data and then large data
              --data   keeps the database in this directory and reuses it if it has the same size
              --only   one or more of limits, growth, contention, rollup, bulk, search, cycle, start, explain, with commas
            """;

    private static final Set<String> PARTS =
            Set.of("limits", "growth", "contention", "rollup", "bulk", "search", "cycle", "start", "explain");

    Options {
        for (var flag : flags) {
            if (!flag.matches("--(quick|details|(size|data|jfr|explain)=.+)") && !isParts(flag)) {
                throw new IllegalArgumentException(flag);
            }
        }
    }

    private static boolean isParts(String flag) {
        return flag.startsWith("--only=") && PARTS.containsAll(List.of(flag.substring(7).split(",")));
    }

    boolean quick() {
        return flags.contains("--quick");
    }

    Pace pace() {
        boolean details = flags.contains("--details");
        return quick() ? Pace.quick(details) : Pace.full(details);
    }

    Size small() {
        return quick() ? Size.TINY : Size.S;
    }

    /** The size of the large data. Empty if only the small data are measured. */
    Optional<Size> large() {
        var text = value("size").orElse(quick() ? "0.001" : "S");
        return text.equals("S") ? Optional.empty() : Optional.of(Size.parse(text));
    }

    Optional<Path> data() {
        return value("data").map(Path::of);
    }

    Optional<Path> explain() {
        return value("explain").map(Path::of);
    }

    /** Whether to run a part. By default all parts run, but query plans only with --explain or --quick. */
    boolean wants(String part) {
        var parts = value("only").map(text -> List.of(text.split(",")));
        if (parts.isEmpty()) {
            return !part.equals("explain") || explain().isPresent() || quick();
        }
        return parts.get().contains(part);
    }

    boolean wantsAny(String... parts) {
        return List.of(parts).stream().anyMatch(this::wants);
    }

    /** The options of the service's JVM. */
    List<String> javaOptions() {
        return value("jfr")
                .map(file -> List.of(
                        "-XX:StartFlightRecording=settings=profile,dumponexit=true,filename=" + file))
                .orElse(List.of());
    }

    private Optional<String> value(String name) {
        var prefix = "--" + name + '=';
        return flags.stream()
                .filter(flag -> flag.startsWith(prefix))
                .map(flag -> flag.substring(prefix.length()))
                .findFirst();
    }
}
