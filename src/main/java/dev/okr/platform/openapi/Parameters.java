package dev.okr.platform.openapi;

import dev.okr.platform.ids.IdKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.parameters.Parameter;
import org.eclipse.microprofile.openapi.models.parameters.Parameter.In;

/** Describes path parameters, and adds those that all operations of a kind share, such as the ones of paging. */
final class Parameters {
    /** The lists that are ordered by name; all others are newest first and can be read by cursor. */
    private static final Set<String> LISTS_BY_NAME = Set.of("listTeams", "listUsers");

    private static final Pattern PATH_PARAMETER = Pattern.compile("/([^/]+)/\\{([^/]+)}");

    private Parameters() {}

    static void complete(DescribedOperation operation) {
        describePathParameters(operation);
        if (operation.isList()) {
            add(operation, "Page");
            add(operation, "PerPage");
            if (!LISTS_BY_NAME.contains(operation.model().getOperationId())) {
                add(operation, "Cursor");
            }
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
    }

    private static void add(DescribedOperation operation, String component) {
        operation.model().addParameter(OASFactory.createParameter().ref(component));
    }

    /**
     * They get no pattern and no example: an id of another form is not a malformed request but an unknown id, and
     * Swagger UI would fill in an example that leads nowhere.
     */
    private static void describePathParameters(DescribedOperation operation) {
        var parameters = new ArrayList<Parameter>();
        var found = PATH_PARAMETER.matcher(operation.path());
        while (found.find()) {
            var kind = kind(found.group(1));
            parameters.add(pathParameter(operation, found.group(2))
                    .description("The id of the %s: `%s_` and 26 characters.".formatted(noun(kind), kind.prefix())));
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
                .toList();
    }

    /** The kind of the ids that follow a collection in a path: {@code key-results} has key results'. */
    private static IdKind kind(String collection) {
        var singular =
                collection.replaceFirst("ies$", "y").replaceFirst("s$", "").replace('-', '_');
        return Arrays.stream(IdKind.values())
                .filter(kind -> kind.name().toLowerCase(Locale.ROOT).equals(singular))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("No kind of id for " + collection));
    }

    private static String noun(IdKind kind) {
        return kind == IdKind.CHECK_IN
                ? "check-in"
                : kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
