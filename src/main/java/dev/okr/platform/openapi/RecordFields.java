package dev.okr.platform.openapi;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.okr.platform.http.Decimals;
import dev.okr.platform.http.FieldChange;
import dev.okr.platform.http.Text;
import io.quarkus.smallrye.openapi.OpenApiFilter;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.Components;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.media.Schema.SchemaType;
import org.jboss.jandex.AnnotationTarget.Kind;
import org.jboss.jandex.AnnotationValue;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.FieldInfo;
import org.jboss.jandex.IndexView;
import org.jspecify.annotations.Nullable;

/**
 * Describes what follows from the code of a record, so that {@code @Schema} does not repeat it:
 *
 * <ul>
 *   <li>A component is required, unless it is {@code @Nullable}, a {@link FieldChange} or {@code required = false}. It
 *       is also optional if {@link JsonInclude} omits some of its values.
 *   <li>A field of {@code CreateX}, {@code UpdateX} and {@code CreateXItem} has the type, the description and the
 *       example of the same field of {@code X}, unless it has its own.
 *   <li>In a request, a {@code @Nullable} field accepts null, and numbers, titles and notes have their limits.
 * </ul>
 */
@OpenApiFilter(stages = OpenApiFilter.RunStage.BUILD, priority = RecordFields.FIRST)
public class RecordFields implements OASFilter {
    /** A higher priority than that of all other filters, which read what this one writes. */
    static final int FIRST = DocumentFilter.BEFORE + 1;

    private static final DotName SCHEMA =
            DotName.createSimple(org.eclipse.microprofile.openapi.annotations.media.Schema.class);
    private static final DotName CHANGE = DotName.createSimple(FieldChange.class);
    private static final DotName DECIMAL = DotName.createSimple(BigDecimal.class);
    private static final DotName TEXT = DotName.createSimple(String.class);
    private static final Pattern REQUEST = Pattern.compile("(?:Create|Update)([A-Z].*?)(?:Item)?");

    private final IndexView index;

    public RecordFields(IndexView index) {
        this.index = index;
    }

    @Override
    public void filterOpenAPI(OpenAPI document) {
        var components = document.getComponents();
        var records = records(components);
        records.forEach((name, type) -> require(named(components, name), type));
        records.forEach((name, type) -> {
            var request = REQUEST.matcher(name);
            if (request.matches() && components.getSchemas().containsKey(request.group(1))) {
                complete(components, named(components, name), request.group(1), type);
            }
        });
        // The scanner describes the types FieldChange and UUID too. No field refers to them any more.
        List.copyOf(components.getSchemas().keySet()).stream()
                .filter(name -> name.startsWith("FieldChange") || name.equals("UUID"))
                .forEach(components::removeSchema);
    }

    /** The records that have a schema, by the schema's name. */
    private Map<String, ClassInfo> records(Components components) {
        var records = new LinkedHashMap<String, ClassInfo>();
        for (var annotation : index.getAnnotations(SCHEMA)) {
            if (annotation.target().kind() == Kind.CLASS
                    && annotation.target().asClass().isRecord()) {
                var type = annotation.target().asClass();
                var name = annotation.value("name");
                records.put(name == null ? type.simpleName() : name.asString(), type);
            }
        }
        records.keySet().retainAll(components.getSchemas().keySet());
        return records;
    }

    private void require(Schema schema, ClassInfo type) {
        var fields = jsonFields(type)
                .filter(component -> schema.getProperties().containsKey(field(component)))
                .toList();
        var required = fields.stream()
                .filter(RecordFields::isRequired)
                .map(RecordFields::field)
                .toList();
        if (!required.isEmpty()) {
            schema.setRequired(required);
        }
        // The scanner adds the fields of an unwrapped record in no particular order.
        var properties = new LinkedHashMap<String, Schema>();
        fields.forEach(component ->
                properties.put(field(component), schema.getProperties().get(field(component))));
        schema.getProperties().forEach(properties::putIfAbsent);
        schema.setProperties(properties);
    }

    /** The components in the order of the JSON, with those of unwrapped records. */
    private Stream<FieldInfo> jsonFields(ClassInfo type) {
        return components(type).stream()
                .flatMap(component -> component.hasAnnotation(JsonUnwrapped.class)
                        ? jsonFields(index.getClassByName(component.type().name()))
                        : Stream.of(component));
    }

    /** The fields of a record have the annotations of its components. */
    private static List<FieldInfo> components(ClassInfo type) {
        return type.fieldsInDeclarationOrder().stream()
                .filter(field -> !Modifier.isStatic(field.flags()))
                .toList();
    }

    private static boolean isRequired(FieldInfo component) {
        return written(component, "required")
                .map(AnnotationValue::asBoolean)
                .orElseGet(() -> !isNullable(component)
                        && !component.type().name().equals(CHANGE)
                        && !component.hasAnnotation(JsonInclude.class)
                        && written(component, "defaultValue").isEmpty());
    }

    private void complete(Components components, Schema request, String resource, ClassInfo type) {
        var shown = named(components, resource).getProperties();
        var properties = new LinkedHashMap<>(request.getProperties());
        for (var component : jsonFields(type).toList()) {
            properties.computeIfPresent(field(component), (name, own) -> {
                var inherited = shown.get(name);
                var field = inherited == null
                                || written(component, "implementation").isPresent()
                        ? own
                        : inherit(own, inherited);
                if (isNullable(component)) {
                    acceptNull(components, field);
                }
                limit(component, name, field);
                return field;
            });
        }
        request.setProperties(properties);
    }

    /** Gives a request's field the type of the resource's field. Its own type may be {@code FieldChange} or a UUID. */
    private static Schema inherit(Schema own, Schema shown) {
        own.anyOf(null)
                .ref(shown.getRef())
                .type(shown.getType())
                .format(shown.getFormat())
                .items(shown.getItems());
        if (own.getDescription() == null) {
            own.setDescription(shown.getDescription());
        }
        if (own.getExamples() == null) {
            own.setExamples(shown.getExamples());
        }
        return own;
    }

    private static void acceptNull(Components components, Schema field) {
        if (field.getRef() == null) {
            field.addType(SchemaType.NULL);
        } else if ("date-time".equals(References.resolve(components, field).getFormat())) {
            field.setRef(null);
            field.type(List.of(SchemaType.STRING, SchemaType.NULL)).format("date-time");
        } else {
            field.anyOf(List.of(
                    References.schema(References.name(field)),
                    OASFactory.createSchema().addType(SchemaType.NULL)));
            field.setRef(null);
        }
    }

    private static void limit(FieldInfo component, String name, Schema field) {
        var type = component.type();
        var value = type.name().equals(CHANGE)
                ? type.asParameterizedType().arguments().getFirst().name()
                : type.name();
        if (value.equals(DECIMAL)) {
            if (field.getMaximum() == null) {
                field.exclusiveMinimum(new BigDecimal(Decimals.EXCLUSIVE_MIN))
                        .exclusiveMaximum(new BigDecimal(Decimals.EXCLUSIVE_MAX));
            }
        } else if (value.equals(TEXT)) {
            switch (name) {
                case "external_id" ->
                    field.minLength(1)
                            .maxLength(Text.MAX_EXTERNAL_ID_CHARACTERS)
                            .pattern("^[!-~]+$");
                case "title", "name" -> field.minLength(1).maxLength(Text.MAX_TITLE_CODE_POINTS);
                case "description", "note", "retrospective" -> field.maxLength(Text.MAX_NOTE_CODE_POINTS);
                default -> requireLimit(name, field);
            }
        }
    }

    /** Any other text states its limit in its {@code @Schema}. Otherwise the build fails. */
    private static void requireLimit(String name, Schema field) {
        if (field.getMaxLength() == null && field.getEnumeration() == null) {
            throw new IllegalStateException("The text field %s of a request has no maxLength.".formatted(name));
        }
    }

    private static boolean isNullable(FieldInfo component) {
        return component.type().hasAnnotation(DotName.createSimple(Nullable.class))
                || written(component, "nullable")
                        .filter(AnnotationValue::asBoolean)
                        .isPresent();
    }

    /** A value that the component's {@code @Schema} contains. */
    private static Optional<AnnotationValue> written(FieldInfo component, String name) {
        return Optional.ofNullable(component.declaredAnnotation(SCHEMA)).map(schema -> schema.value(name));
    }

    private static Schema named(Components components, String name) {
        return References.resolve(components, References.schema(name));
    }

    private static String field(FieldInfo component) {
        return component.name().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }
}
