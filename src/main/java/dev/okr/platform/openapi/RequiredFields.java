package dev.okr.platform.openapi;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import dev.okr.platform.http.FieldChange;
import io.quarkus.smallrye.openapi.OpenApiFilter;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTarget.Kind;
import org.jboss.jandex.AnnotationValue;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.RecordComponentInfo;
import org.jspecify.annotations.Nullable;

/**
 * Makes the fields of a record required in its schema. A field is optional if it is {@link Nullable}, a {@link FieldChange}
 * or {@code @Schema(nullable = true)} or {@code @Schema(required = false)}, or if {@link JsonInclude} omits some of its
 * values.
 */
@OpenApiFilter(stages = OpenApiFilter.RunStage.BUILD, priority = RequiredFields.BEFORE_ALL)
public class RequiredFields implements OASFilter {
    /** Other filters read the required fields. Filters with a higher priority run earlier. */
    static final int BEFORE_ALL = DocumentFilter.BEFORE + 1;

    private static final DotName NULLABLE = DotName.createSimple(Nullable.class);
    private static final DotName SCHEMA =
            DotName.createSimple(org.eclipse.microprofile.openapi.annotations.media.Schema.class);
    private static final DotName JSON_INCLUDE = DotName.createSimple(JsonInclude.class);
    private static final DotName CHANGE = DotName.createSimple(FieldChange.class);

    private final IndexView index;

    public RequiredFields(IndexView index) {
        this.index = index;
    }

    @Override
    public void filterOpenAPI(OpenAPI document) {
        var schemas = document.getComponents().getSchemas();
        for (var annotation : index.getAnnotations(SCHEMA)) {
            if (annotation.target().kind() == Kind.CLASS
                    && annotation.target().asClass().isRecord()) {
                var type = annotation.target().asClass();
                var schema = schemas.get(name(type, annotation.value("name")));
                if (schema != null) {
                    addRequired(type, schema);
                }
            }
        }
    }

    private static String name(ClassInfo type, @Nullable AnnotationValue name) {
        return name == null ? type.simpleName() : name.asString();
    }

    private static void addRequired(ClassInfo type, Schema schema) {
        for (var component : type.recordComponentsInDeclarationOrder()) {
            var property = SnakeCaseStrategy.INSTANCE.translate(component.name());
            if (isRequired(component)
                    && schema.getProperties().containsKey(property)
                    && (schema.getRequired() == null || !schema.getRequired().contains(property))) {
                schema.addRequired(property);
            }
        }
    }

    private static boolean isRequired(RecordComponentInfo component) {
        var type = component.type();
        var field = component.field();
        var schema = field.annotation(SCHEMA);
        return !type.hasAnnotation(NULLABLE)
                && !type.name().equals(CHANGE)
                && !field.hasAnnotation(JSON_INCLUDE)
                && !says(schema, "nullable", true)
                && !says(schema, "required", false);
    }

    private static boolean says(@Nullable AnnotationInstance schema, String name, boolean expected) {
        var value = schema == null ? null : schema.value(name);
        return value != null && value.asBoolean() == expected;
    }
}
