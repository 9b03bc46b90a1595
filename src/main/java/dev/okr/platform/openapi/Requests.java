package dev.okr.platform.openapi;

import dev.okr.platform.ids.IdKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.Components;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.parameters.Parameter;
import org.eclipse.microprofile.openapi.models.parameters.Parameter.In;

/** Describes the path parameters, and adds the parameters that operations share and the schemas of bodies. */
final class Requests {
    private static final Pattern PATH_PARAMETER = Pattern.compile("/([^/]+)/\\{([^/]+)}");

    /** The end of the ids of {@code demo.yaml}. */
    private static final String EXAMPLE_SUFFIX = "_01k9m2x7q4e8rvb3t5w6y0zacd";

    private Requests() {}

    static void complete(DescribedOperation operation, Components components) {
        describePathParameters(operation);
        if (operation.isList()) {
            add(operation, "Page");
            add(operation, "PerPage");
        }
        if (operation.hasCursor()) {
            add(operation, "Cursor");
        }
        if (operation.isPost()) {
            add(operation, "IdempotencyKey");
        }
        if (operation.isSingleRead()) {
            add(operation, "IfNoneMatch");
        }
        if (operation.isConditional()) {
            add(operation, "IfMatch");
        }
        if (operation.hasJsonBody()) {
            nameBody(operation, components);
        }
    }

    private static void add(DescribedOperation operation, String component) {
        operation.model().addParameter(OASFactory.createParameter().ref(component));
    }

    /**
     * Path parameters have no pattern, because a malformed id counts as an unknown id, with a 404. Swagger UI fills in
     * the example, which is an id of the demonstration organisation. META-INF/openapi.yaml has other examples where an
     * operation needs them.
     */
    private static void describePathParameters(DescribedOperation operation) {
        var parameters = new ArrayList<Parameter>();
        var found = PATH_PARAMETER.matcher(operation.path());
        while (found.find()) {
            var kind = IdKind.ofCollection(found.group(1));
            var parameter = pathParameter(operation, found.group(2));
            if (parameter.getExample() == null) {
                parameter.setExample(kind.prefix() + EXAMPLE_SUFFIX);
            }
            parameters.add(parameter.description(
                    "The id of the %s: `%s_` and 26 characters.".formatted(kind.noun(), kind.prefix())));
        }
        parameters.addAll(others(operation));
        operation.model().setParameters(parameters);
    }

    private static Parameter pathParameter(DescribedOperation operation, String name) {
        return operation.model().getParameters().stream()
                .filter(parameter -> parameter.getIn() == In.PATH && name.equals(parameter.getName()))
                .findFirst()
                .orElseThrow();
    }

    private static List<Parameter> others(DescribedOperation operation) {
        return Stream.ofNullable(operation.model().getParameters())
                .flatMap(List::stream)
                .filter(parameter -> parameter.getIn() != In.PATH)
                .map(Requests::orShared)
                .toList();
    }

    /** A parameter that is only named is the parameter {@code UpdatedSince} of META-INF/openapi.yaml, for example. */
    private static Parameter orShared(Parameter parameter) {
        if (parameter.getName() == null || parameter.getDescription() != null) {
            return parameter;
        }
        var component = Arrays.stream(parameter.getName().split("_"))
                .map(word -> word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1))
                .collect(Collectors.joining());
        return OASFactory.createParameter().ref(component);
    }

    /**
     * Gives the body the schema in {@code @RequestBodySchema}. The parameter has the type {@code JsonBody}, and the
     * scanner generates the schema of that type.
     */
    private static void nameBody(DescribedOperation operation, Components components) {
        var schema = References.schema(operation.requestSchema());
        // An unknown field is a 422, also in the objects of a list.
        var object = References.resolve(components, schema);
        object.setAdditionalPropertiesBoolean(false);
        object.getProperties().values().stream()
                .map(Schema::getItems)
                .filter(items -> items != null && items.getRef() != null)
                .map(items -> References.resolve(components, items))
                .filter(item -> item.getProperties() != null)
                .forEach(item -> item.setAdditionalPropertiesBoolean(false));
        var body = operation.model().getRequestBody();
        body.setRequired(true);
        for (var mediaType : body.getContent().getMediaTypes().values()) {
            components.removeSchema(References.name(mediaType.getSchema()));
            mediaType.setSchema(schema);
        }
    }
}
