package dev.okr.bench;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * One parameter of a captured statement, with its values in all captured requests, and its expression in the replay.
 * Values that were new in each request (ids, times, measured values) must be new in each repetition.
 */
final class Parameter {
    private static final Pattern UUIDS = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final Pattern MOMENTS =
            Pattern.compile("\\d{4}-\\d\\d-\\d\\d[ T]\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d(:?\\d\\d)?)");

    private final String name;
    private final String type;
    private final List<String> values;
    private final boolean changes;
    private final Instant since;

    /** The columns of captured values that the expression needs. */
    final List<String> columns = new ArrayList<>();

    final List<List<String>> columnValues = new ArrayList<>();

    /** The pgbench variables to calculate before each repetition. */
    final List<String> settings = new ArrayList<>();

    /**
     * @param name the name of the variables
     * @param type the type in the database; empty if unknown
     * @param values one value for each request
     * @param changes whether the request changes data
     * @param since the time when the requests started; later ids and times are new values
     */
    Parameter(String name, String type, List<String> values, boolean changes, Instant since) {
        this.name = name;
        this.type = type;
        this.values = values;
        this.changes = changes;
        this.since = since;
    }

    /**
     * @param newIds the new ids of the first request; this method adds to them, and the index of an id names its
     *     variable
     */
    String expression(List<String> newIds) {
        if (values.stream().allMatch(value -> value == null)) {
            return "NULL";
        }
        if (values.contains(null)) {
            return "NULLIF(%s, '')%s".formatted(column(values), cast());
        }
        if (type.startsWith("uuid")) {
            return replaced(UUIDS, this::isNew, text -> {
                if (!newIds.contains(text)) {
                    newIds.add(text);
                }
                return ":p || :u" + newIds.indexOf(text);
            });
        }
        if (type.startsWith("timestamp")) {
            return replaced(MOMENTS, this::isLater, text -> "clock_timestamp()::text");
        }
        return type.equals("numeric") && changes ? varied() : column(values);
    }

    /** Replaces fractions by random ones, and multiplies other numbers by them. So every update changes the row. */
    private String varied() {
        boolean fractions = values.stream()
                .mapToDouble(Double::parseDouble)
                .allMatch(value -> value >= 0 && value <= 1);
        if (fractions) {
            return ":f";
        }
        settings.add("\\set n%s %s * :f".formatted(name, column(values)));
        return ":n" + name;
    }

    private interface Replacement {
        String of(String text);
    }

    private String replaced(Pattern pattern, Predicate<String> fresh, Replacement replacement) {
        var pieces = values.stream().map(value -> pieces(pattern, fresh, value)).toList();
        int count = pieces.getFirst().size();
        if (count == 1) {
            return column(values);
        }
        if (pieces.stream().anyMatch(each -> each.size() != count)) {
            throw new IllegalStateException("requests differ in parameter " + name + ": " + values);
        }
        if (type.startsWith("timestamp") && !type.endsWith("[]")) {
            return "clock_timestamp()";
        }
        var parts = new ArrayList<String>();
        for (int i = 0; i < count; i++) {
            int piece = i;
            if (i % 2 == 1) {
                parts.add(replacement.of(pieces.getFirst().get(i)));
            } else if (pieces.stream().anyMatch(each -> !each.get(piece).isEmpty())) {
                parts.add(piece(pieces.stream().map(each -> each.get(piece)).toList()));
            }
        }
        return "(" + String.join(" || ", parts) + ")" + cast();
    }

    /** Alternates constant parts and new parts, starting with a constant one. */
    private static List<String> pieces(Pattern pattern, Predicate<String> fresh, String value) {
        var pieces = new ArrayList<String>();
        int start = 0;
        var matcher = pattern.matcher(value);
        while (matcher.find()) {
            if (fresh.test(matcher.group())) {
                pieces.add(value.substring(start, matcher.start()));
                pieces.add(matcher.group());
                start = matcher.end();
            }
        }
        pieces.add(value.substring(start));
        return pieces;
    }

    private boolean isNew(String id) {
        var uuid = UUID.fromString(id);
        return uuid.version() == 7 && uuid.getMostSignificantBits() >>> 16 >= since.toEpochMilli();
    }

    private boolean isLater(String moment) {
        var iso = moment.replace(' ', 'T').replaceFirst("([+-]\\d\\d)$", "$1:00");
        return !OffsetDateTime.parse(iso).toInstant().isBefore(since);
    }

    private String piece(List<String> texts) {
        if (texts.stream().distinct().count() == 1) {
            return "'" + texts.getFirst().replace("'", "''") + "'";
        }
        return column(texts);
    }

    private String column(List<String> texts) {
        var column = "v" + name + "_" + columns.size();
        columns.add(column);
        columnValues.add(texts);
        return ":" + column;
    }

    private String cast() {
        return type.isEmpty() ? "" : "::" + type;
    }
}
