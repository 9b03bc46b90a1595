package dev.okr.platform.openapi;

import dev.okr.platform.ids.IdKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.models.Components;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.media.Schema.SchemaType;

/** Adapts the schemas to the JSON: enum constants in lower case, timestamps as text, patterns for ids. */
final class Schemas {
    private static final Pattern CONSTANT = Pattern.compile("[A-Z][A-Z0-9_]*");
    private static final String ID_SUFFIX = "_[0-7][0-9a-hjkmnp-tv-z]{25}";
    private static final String TIMESTAMP = "date-time";

    private final Components components;

    private Schemas(Components components) {
        this.components = components;
    }

    static void complete(Components components) {
        var schemas = new Schemas(components);
        var all = List.copyOf(components.getSchemas().values());
        all.forEach(Schemas::lowerConstants);
        all.forEach(schemas::completeParts);
        components.getSchemas().entrySet().stream()
                .filter(schema -> TIMESTAMP.equals(schema.getValue().getFormat()))
                .toList()
                .forEach(timestamp -> components.removeSchema(timestamp.getKey()));
    }

    private void completeParts(Schema schema) {
        if (schema.getItems() != null) {
            complete(schema.getItems());
        }
        if (schema.getProperties() != null) {
            schema.getProperties().values().forEach(this::complete);
        }
    }

    private void complete(Schema schema) {
        referToConstants(schema);
        if (schema.getRef() != null || schema.getAnyOf() != null) {
            // The referenced schema has the type.
            schema.setType(null);
        }
        if (schema.getRef() != null) {
            inlineTimestamp(schema);
        } else {
            describeId(schema);
            completeParts(schema);
        }
    }

    /** Replaces the reference to the schema of timestamps. */
    private void inlineTimestamp(Schema reference) {
        if (TIMESTAMP.equals(References.resolve(components, reference).getFormat())) {
            reference.setRef(null);
            reference.addType(SchemaType.STRING);
            reference.setFormat(TIMESTAMP);
        }
    }

    /** The scanner repeats the constants of an enum in a {@code FieldChange}. Refers to the enum instead. */
    private void referToConstants(Schema schema) {
        lowerConstants(schema);
        var constants = schema.getEnumeration();
        if (constants != null) {
            components.getSchemas().entrySet().stream()
                    .filter(named -> constants.equals(named.getValue().getEnumeration()))
                    .findFirst()
                    .ifPresent(named -> {
                        schema.setEnumeration(null);
                        schema.setRef(named.getKey());
                    });
        }
    }

    private static void lowerConstants(Schema schema) {
        var constants = schema.getEnumeration();
        if (constants != null && constants.stream().allMatch(Schemas::isConstant)) {
            var lower = new ArrayList<Object>();
            constants.forEach(constant -> lower.add(constant.toString().toLowerCase(Locale.ROOT)));
            schema.setEnumeration(lower);
        }
    }

    private static boolean isConstant(Object value) {
        return value instanceof String text && CONSTANT.matcher(text).matches();
    }

    /** A field whose example is an id gets the pattern of that kind of id. */
    private static void describeId(Schema schema) {
        if (schema.getPattern() != null || schema.getExamples() == null) {
            return;
        }
        var example = Objects.toString(schema.getExamples().getFirst());
        for (var kind : IdKind.values()) {
            var pattern = '^' + kind.prefix() + ID_SUFFIX + '$';
            if (example.matches(pattern)) {
                schema.setPattern(pattern);
            }
        }
    }
}
