package dev.okr.operations.provisioning;

import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.Text;
import dev.okr.platform.time.Timestamps;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * A mapping in an organisation file. Errors are collected and a placeholder is returned, so that one pass finds all
 * errors. A file with an error is never applied.
 */
final class Section {
    private final Node node;
    private final FileErrors errors;
    private final Map<String, Node> values = new LinkedHashMap<>();

    /** @param known the allowed keys */
    Section(Node node, FileErrors errors, String... known) {
        this.node = node;
        this.errors = errors;
        if (node instanceof MappingNode mapping) {
            mapping.getValue().forEach(entry -> add(entry.getKeyNode(), entry.getValueNode(), known));
        } else {
            errors.add(line(), "a mapping is required here, with the keys " + String.join(", ", known));
        }
    }

    int line() {
        return line(node);
    }

    /** The line of the value, or of the whole mapping if the key is missing. */
    int line(String key) {
        var value = values.get(key);
        return value == null ? line() : line(value);
    }

    String text(String key, int maxCharacters) {
        var raw = scalar(key, true, Tag.STR);
        if (raw == null) {
            return "";
        }
        var text = Text.normalize(raw);
        if (text.isEmpty()) {
            errors.add(line(key), key + " is empty");
        } else if (text.codePointCount(0, text.length()) > maxCharacters) {
            errors.add(line(key), key + " is longer than " + maxCharacters + " characters");
        } else if (!Text.isClean(text)) {
            errors.add(line(key), key + " has control characters");
        }
        return text;
    }

    <E extends Enum<E>> E constant(String key, Class<E> type) {
        var text = scalar(key, true, Tag.STR);
        return text == null ? type.getEnumConstants()[0] : constant(key, line(key), text, type);
    }

    /** Returns an empty list if the key is missing. */
    <E extends Enum<E>> List<E> constants(String key, Class<E> type) {
        var items = items(key, false);
        if (items.isEmpty() && values.containsKey(key) && errors.isEmpty()) {
            errors.add(line(key), key + " must name at least one of " + EnumNames.names(type));
        }
        var constants = new ArrayList<E>();
        for (var item : items) {
            var text = item instanceof ScalarNode scalar ? scalar.getValue() : "";
            constants.add(constant("each of " + key, line(item), text, type));
        }
        return constants;
    }

    @Nullable
    Instant optionalTimestamp(String key) {
        var text = scalar(key, false, Tag.STR, Tag.TIMESTAMP);
        if (text == null) {
            return null;
        }
        var timestamp = Timestamps.parse(text);
        if (timestamp.isEmpty()) {
            errors.add(
                    line(key),
                    key + " must be a timestamp such as 2027-01-01T00:00:00Z, not " + FileErrors.quote(text));
        }
        return timestamp.orElse(null);
    }

    List<Section> sections(String key, String... known) {
        return items(key, false).stream()
                .map(item -> new Section(item, errors, known))
                .toList();
    }

    List<Section> requiredSections(String key, String... known) {
        return items(key, true).stream()
                .map(item -> new Section(item, errors, known))
                .toList();
    }

    private void add(Node key, Node value, String... known) {
        var name = key instanceof ScalarNode scalar ? scalar.getValue() : "";
        if (!Arrays.asList(known).contains(name)) {
            errors.add(
                    line(key),
                    FileErrors.quote(name) + " is not a known key here; known keys are " + String.join(", ", known));
        } else if (values.putIfAbsent(name, value) != null) {
            errors.add(line(key), name + " occurs twice");
        }
    }

    private List<Node> items(String key, boolean required) {
        var value = value(key, required);
        if (value == null) {
            return List.of();
        }
        if (value instanceof SequenceNode sequence) {
            return sequence.getValue();
        }
        errors.add(line(value), key + " must be a list");
        return List.of();
    }

    private @Nullable String scalar(String key, boolean required, Tag... types) {
        var value = value(key, required);
        if (value == null) {
            return null;
        }
        if (value instanceof ScalarNode scalar && Arrays.asList(types).contains(scalar.getTag())) {
            return scalar.getValue();
        }
        errors.add(line(value), key + " must be text" + (value instanceof ScalarNode ? ": put it in quotes" : ""));
        return null;
    }

    /** Returns null if the key is missing or its value is null. */
    private @Nullable Node value(String key, boolean required) {
        var value = values.get(key);
        if (value != null && !value.getTag().equals(Tag.NULL)) {
            return value;
        }
        if (required && node instanceof MappingNode) {
            errors.add(line(), key + " is missing");
        }
        return null;
    }

    private <E extends Enum<E>> E constant(String what, int line, String text, Class<E> type) {
        return EnumNames.parse(type, text).orElseGet(() -> {
            errors.add(line, what + " must be one of " + EnumNames.names(type) + ", not " + FileErrors.quote(text));
            return type.getEnumConstants()[0];
        });
    }

    private static int line(Node node) {
        return node.getStartMark().getLine() + 1;
    }
}
