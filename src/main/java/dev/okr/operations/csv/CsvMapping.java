package dev.okr.operations.csv;

import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.chrono.IsoEra;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * Maps the columns of a spreadsheet to the fields of lines.
 *
 * @param lines the lines that each row produces
 */
record CsvMapping(char delimiter, CsvFormats formats, List<Line> lines) {
    private static final Set<String> TYPES =
            Set.of("user", "team", "cycle", "objective", "key_result", "check_in", "alignment");
    private static final int MAX_CODE_POINTS = 1 << 20;

    /**
     * A line for each row.
     *
     * @param when the column that must have a text; null for each row
     */
    record Line(String type, @Nullable String when, Map<String, Field> fields) {}

    /**
     * A field of a line.
     *
     * @param name the type and the name of the field, for the operator
     * @param columns the columns whose texts are joined; empty for a constant
     * @param values replacements of texts in the columns
     * @param otherwise the text if the columns are empty; null leaves the field out
     */
    record Field(
            String name,
            List<String> columns,
            String separator,
            Map<String, String> values,
            @Nullable String otherwise) {
        /** The texts of the columns that are not empty. */
        List<String> texts(Map<String, String> cells) {
            return columns.stream()
                    .map(column -> cells.getOrDefault(column, ""))
                    .map(text -> values.getOrDefault(text, text))
                    .filter(text -> !text.isEmpty())
                    .toList();
        }
    }

    /** The mapping is wrong. Its message is for the operator. */
    static final class WrongMapping extends RuntimeException {
        private static final long serialVersionUID = 1L;

        WrongMapping(String message) {
            super(message, null, false, false);
        }
    }

    static CsvMapping parse(String yaml) {
        var options = new LoaderOptions();
        options.setCodePointLimit(MAX_CODE_POINTS);
        options.setMaxAliasesForCollections(0);
        options.setAllowDuplicateKeys(false);
        Object root;
        try {
            root = new Yaml(new SafeConstructor(options)).load(yaml);
        } catch (YAMLException e) {
            throw new WrongMapping("not YAML: "
                    + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
        }
        var mapping =
                map(root, "the mapping", Set.of("delimiter", "decimal_comma", "time_zone", "date_formats", "lines"));
        return new CsvMapping(
                delimiter(mapping),
                new CsvFormats(Boolean.TRUE.equals(mapping.get("decimal_comma")), zone(mapping), dateFormats(mapping)),
                lines(mapping));
    }

    private static char delimiter(Map<String, Object> mapping) {
        var text = mapping.containsKey("delimiter") ? text(mapping.get("delimiter"), "delimiter") : ",";
        if (text.length() != 1) {
            throw new WrongMapping("delimiter must be one character");
        }
        return text.charAt(0);
    }

    private static ZoneId zone(Map<String, Object> mapping) {
        try {
            return mapping.containsKey("time_zone")
                    ? ZoneId.of(text(mapping.get("time_zone"), "time_zone"))
                    : ZoneOffset.UTC;
        } catch (DateTimeException e) {
            throw new WrongMapping("time_zone must be a time zone such as Europe/Berlin");
        }
    }

    private static List<DateTimeFormatter> dateFormats(Map<String, Object> mapping) {
        var formats = new ArrayList<DateTimeFormatter>();
        for (var each : list(mapping.getOrDefault("date_formats", List.of("yyyy-MM-dd")), "date_formats")) {
            try {
                formats.add(dateFormat(text(each, "date_formats")));
            } catch (IllegalArgumentException e) {
                throw new WrongMapping("date_formats has a format that is not valid: " + each);
            }
        }
        return formats;
    }

    /** Days such as 31 February are refused. A strict yyyy needs an era. */
    private static DateTimeFormatter dateFormat(String pattern) {
        return new DateTimeFormatterBuilder()
                .appendPattern(pattern)
                .parseDefaulting(ChronoField.ERA, IsoEra.CE.getValue())
                .toFormatter(Locale.ENGLISH)
                .withResolverStyle(ResolverStyle.STRICT);
    }

    private static List<Line> lines(Map<String, Object> mapping) {
        var lines = new ArrayList<Line>();
        for (var each : list(mapping.get("lines"), "lines")) {
            var line = map(each, "each of lines", Set.of("type", "when", "fields"));
            var type = text(line.get("type"), "type");
            if (!TYPES.contains(type)) {
                throw new WrongMapping("there is no type " + type);
            }
            var when = line.containsKey("when") ? text(line.get("when"), "when") : null;
            var fields = new LinkedHashMap<String, Field>();
            map(line.get("fields"), "fields of " + type, null)
                    .forEach((name, field) -> fields.put(name, field(type + '.' + name, field)));
            lines.add(new Line(type, when, fields));
        }
        return lines;
    }

    /** A text is the name of a column. */
    private static Field field(String name, @Nullable Object field) {
        if (field instanceof String column) {
            return new Field(name, List.of(column), "", Map.of(), null);
        }
        var parts = map(field, name, Set.of("column", "columns", "separator", "values", "default", "value"));
        var columns = new ArrayList<String>();
        if (parts.containsKey("column")) {
            columns.add(text(parts.get("column"), name + ".column"));
        }
        list(parts.getOrDefault("columns", List.of()), name + ".columns")
                .forEach(column -> columns.add(text(column, name + ".columns")));
        var values = new LinkedHashMap<String, String>();
        map(parts.getOrDefault("values", Map.of()), name + ".values", null)
                .forEach((from, to) -> values.put(from, text(to, name + ".values")));
        var otherwise = parts.containsKey("value") ? parts.get("value") : parts.get("default");
        if (columns.isEmpty() && otherwise == null) {
            throw new WrongMapping(name + " needs a column or a value");
        }
        return new Field(
                name,
                columns,
                parts.containsKey("separator") ? text(parts.get("separator"), name + ".separator") : "/",
                values,
                otherwise == null ? null : text(otherwise, name));
    }

    private static Map<String, Object> map(@Nullable Object value, String what, @Nullable Set<String> known) {
        if (!(value instanceof Map<?, ?> map)) {
            throw new WrongMapping(what + " must be a mapping");
        }
        var named = new LinkedHashMap<String, Object>();
        map.forEach((key, each) -> {
            var name = String.valueOf(key);
            if (known != null && !known.contains(name)) {
                throw new WrongMapping(what + " has no key " + name);
            }
            if (each != null) {
                named.put(name, each);
            }
        });
        return named;
    }

    private static List<?> list(@Nullable Object value, String what) {
        if (!(value instanceof List<?> list)) {
            throw new WrongMapping(what + " must be a list");
        }
        return list;
    }

    /** YAML reads some texts as other types. For example, a date would lose its format. */
    private static String text(@Nullable Object value, String what) {
        return switch (value) {
            case String text -> text;
            case Number number -> number.toString();
            case Boolean bool -> bool.toString();
            case null, default -> throw new WrongMapping(what + " must be text. Put it in quotes.");
        };
    }
}
