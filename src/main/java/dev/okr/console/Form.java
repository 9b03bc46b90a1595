package dev.okr.console;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A submitted form. {@link FormReader} makes one only if the token is valid for the user. */
public final class Form {
    static final String TOKEN = "form_token";

    private final Map<String, List<String>> fields;

    private Form(Map<String, List<String>> fields) {
        this.fields = fields;
    }

    /** Parses {@code application/x-www-form-urlencoded}. */
    static Form parse(String body) {
        var fields = new LinkedHashMap<String, List<String>>();
        for (var pair : body.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                fields.computeIfAbsent(decode(pair.substring(0, equals)), name -> new ArrayList<>())
                        .add(decode(pair.substring(equals + 1)));
            }
        }
        return new Form(fields);
    }

    /** The value of a field. Empty if it was not sent. */
    public String value(String name) {
        return values(name).stream().findFirst().orElse("");
    }

    /** All values of a field, such as a group of checkboxes. */
    public List<String> values(String name) {
        return fields.getOrDefault(name, List.of());
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
