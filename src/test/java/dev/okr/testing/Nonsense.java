package dev.okr.testing;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;

/** Random invalid input. The same seed gives the same input. */
public final class Nonsense {
    /** JSON values that are wrong for most fields. */
    private static final List<String> VALUES = List.of(
            "null",
            "true",
            "false",
            "0",
            "-0",
            "-0.0",
            "0e0",
            "1",
            "-1",
            "0.5",
            "1e-7",
            "1E+2",
            "1e11",
            "1e999999999",
            "-1e-999999999",
            "1e99999999999999999999",
            "0.0000010",
            "1234567890123456789012345",
            "0.1234567890123456789012345",
            "99999999999.999999",
            "99999999999.9999999",
            "NaN",
            "Infinity",
            "+1",
            "01",
            "1.",
            ".1",
            "0x10",
            "\"\"",
            "\" \"",
            "\"5\"",
            "\"null\"",
            "\"\\u0000\"",
            "\"a\\u0000b\"",
            "\"\\ud800\"",
            "\"\\udc00\\ud800\"",
            "\"\\ud83c\\udfaf\"",
            "\"\\u001b[31m\"",
            "\"\\r\\n\"",
            "\"\\\\\"",
            "\"\\x\"",
            "\"\\u12\"",
            "\"'; DROP TABLE objective; --\"",
            "\"${jndi:ldap://x}\"",
            "\"<script>\"",
            "\"%00\"",
            "\"../../etc/passwd\"",
            "\"2026-01-31T09:30:00Z\"",
            "\"0000-00-00T00:00:00Z\"",
            "\"2026-01-31\"",
            "\"9999-12-31T23:59:59-23:59\"",
            "\"obj_7zzzzzzzzzzzzzzzzzzzzzzzzz\"",
            "\"usr_00000000000000000000000000\"",
            "\"boolean\"",
            "\"number\"",
            "\"completed\"",
            "\"COMPLETED\"",
            "[]",
            "[null]",
            "[[]]",
            "[\"*\"]",
            "[\"objective.updated\", 5]",
            "{}",
            "{\"a\":1}",
            "{\"a\":{\"b\":[{}]}}",
            "{\"a\":1,\"a\":1}",
            "undefined",
            "'x'",
            "/* */ 1",
            "1 2",
            "");

    /** A longer query gets no further parameter. So the request line stays below the limit of 4,096 bytes. */
    private static final int MAX_QUERY = 2_000;

    private final Random random;

    public Nonsense(long seed) {
        this.random = new Random(seed);
    }

    public <T> T oneOf(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    /** A valid body in which random errors replace some values, or none. */
    public byte[] body(Map<String, Object> valid) {
        var fields = valid.entrySet().stream()
                .map(field -> Json.write(field.getKey()) + ':' + value(Json.write(field.getValue())))
                .collect(Collectors.toList());
        if (random.nextInt(4) == 0) {
            fields.add(name() + ':' + value("1"));
        }
        if (random.nextInt(8) == 0 && !fields.isEmpty()) {
            fields.add(oneOf(fields));
        }
        var text = '{' + String.join(",", fields) + '}';
        return random.nextInt(3) == 0 ? spoil(text) : text.getBytes(StandardCharsets.UTF_8);
    }

    /** Random escaped text. Dots alone would be a relative path. */
    public String pathSegment() {
        return switch (random.nextInt(4)) {
            case 0 -> oneOf(List.of("null", "0", "-1", "*", "me", "x".repeat(3_000), "obj_", "%00", "a%2fb"));
            case 1 ->
                oneOf(List.of("obj", "kr", "ci", "cyc", "team", "usr", "align", "wh", "evt", "dlv")) + '_' + base32();
            default -> escape(bytes(random.nextInt(1, 40)));
        };
    }

    /** The names are not empty, because the service ignores a parameter without name and value. */
    public String query() {
        var parameters = new StringBuilder();
        for (int i = random.nextInt(1, 4); i > 0 && parameters.length() < MAX_QUERY; i--) {
            var name = random.nextInt(5) == 0
                    ? escape(bytes(random.nextInt(1, 12)))
                    : oneOf(List.of(
                            "page",
                            "per_page",
                            "cursor",
                            "status",
                            "cycle_id",
                            "team_id",
                            "owner_id",
                            "objective_id",
                            "key_result_id",
                            "external_id",
                            "updated_since",
                            "recorded_before",
                            "stale_since",
                            "sort",
                            "include",
                            "q",
                            "from",
                            "to",
                            "interval",
                            "name",
                            "email",
                            "type",
                            "resource_id",
                            "since"));
            parameters.append(parameters.isEmpty() ? '?' : '&').append(name);
            if (random.nextInt(10) > 0) {
                parameters.append('=').append(parameter());
            }
        }
        return parameters.toString();
    }

    public String header() {
        return oneOf(List.of(
                "application/json",
                "application/json; charset=utf-16",
                "*/*",
                "text/plain",
                "",
                "application/",
                "/json",
                ";;;",
                "application/json, text/html;q=2",
                "a".repeat(400),
                "\t",
                "\"",
                "q=1",
                "application/json; q=-1",
                "multipart/form-data",
                "application/x-www-form-urlencoded"));
    }

    private String value(String valid) {
        return switch (random.nextInt(12)) {
            case 0, 1, 2, 3 -> oneOf(VALUES);
            case 4 -> '"' + "a".repeat(random.nextInt(6_000)) + '"';
            case 5 -> "[".repeat(depth()) + "]".repeat(random.nextInt(4) == 0 ? 1 : 20);
            case 6 -> (random.nextBoolean() ? "-" : "") + digits() + '.' + digits() + "e" + random.nextInt(-40, 40);
            default -> valid;
        };
    }

    private String name() {
        return switch (random.nextInt(5)) {
            case 0 -> "\"" + "n".repeat(random.nextInt(60_000)) + '"';
            case 1 -> "\"\\ud800\"";
            case 2 -> "\"\"";
            case 3 -> "\"a/b~c\\u0000\"";
            default ->
                oneOf(List.of("id", "progress", "created_at", "organization_id", "__proto__", "x"))
                        .transform(Json::write);
        };
    }

    /** Breaks the bytes of a text. */
    private byte[] spoil(String text) {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        return switch (random.nextInt(10)) {
            case 0 -> text.getBytes(StandardCharsets.UTF_16);
            case 1 -> text.getBytes(StandardCharsets.UTF_16LE);
            case 2 -> ('\uFEFF' + text).getBytes(StandardCharsets.UTF_8);
            case 3 -> java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
            case 4 -> (text + oneOf(List.of("x", "{}", ",", "\u0000", " \n ", "]"))).getBytes(StandardCharsets.UTF_8);
            case 5 -> bytes(random.nextInt(200));
            case 6 -> "{\"a\":".repeat(random.nextInt(2, 50_000)).getBytes(StandardCharsets.UTF_8);
            case 7 -> new byte[random.nextInt(3) * (1 << 19) + 1];
            case 8 -> insert(bytes, (byte) 0xED, (byte) 0xA0, (byte) 0x80);
            default -> flip(bytes);
        };
    }

    private byte[] flip(byte[] bytes) {
        for (int i = random.nextInt(1, 4); i > 0; i--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        return bytes;
    }

    private byte[] insert(byte[] bytes, byte... more) {
        int at = random.nextInt(bytes.length);
        var longer = new ByteArrayOutputStream();
        longer.write(bytes, 0, at);
        longer.writeBytes(more);
        longer.write(bytes, at, bytes.length - at);
        return longer.toByteArray();
    }

    private String parameter() {
        return switch (random.nextInt(4)) {
            case 0 ->
                oneOf(List.of("1", "100", "101", "2147483647", "2147483648", "0", "-1", "1e3", "9".repeat(1_500)));
            case 1 ->
                oneOf(List.of(
                        "planned",
                        "on_track",
                        "Planned",
                        "",
                        "%00",
                        "obj_" + base32(),
                        "cyc_" + base32(),
                        "cycle.created",
                        "2026-01-31T09:30:00Z",
                        "0001-01-01T00:00:00.9Z",
                        "9999-12-31T23:59:59Z"));
            default -> escape(bytes(random.nextInt(30)));
        };
    }

    private String base32() {
        return random.ints(26, 0, 32)
                .mapToObj(i -> String.valueOf("0123456789abcdefghjkmnpqrstvwxyz".charAt(i)))
                .collect(Collectors.joining());
    }

    private String digits() {
        return String.valueOf(random.nextInt(1, 1_000_000)).repeat(random.nextInt(1, 5));
    }

    private int depth() {
        return oneOf(List.of(1, 20, 40, 1_000, 10_000));
    }

    private byte[] bytes(int length) {
        var bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static String escape(byte[] bytes) {
        var escaped = new StringBuilder();
        for (byte b : bytes) {
            escaped.append("%%%02X".formatted(b & 0xFF));
        }
        return escaped.toString();
    }
}
