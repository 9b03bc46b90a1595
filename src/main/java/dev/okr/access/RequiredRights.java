package dev.okr.access;

import dev.okr.organizations.Role;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.openapi.DocumentFilter;
import io.quarkus.smallrye.openapi.OpenApiFilter;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;

/** Adds the required scope and role to the description of each operation in the OpenAPI document. */
@OpenApiFilter(stages = OpenApiFilter.RunStage.BUILD, priority = DocumentFilter.BEFORE)
public class RequiredRights implements OASFilter {
    private static final String API = "/v1";

    @Override
    public void filterOpenAPI(OpenAPI document) {
        for (var path : document.getPaths().getPathItems().entrySet()) {
            var belowApi = path.getKey().substring(API.length());
            path.getValue()
                    .getOperations()
                    .forEach((method, operation) -> describe(operation, of(method.name(), belowApi)));
        }
    }

    private static void describe(Operation operation, String rights) {
        var written = operation.getDescription();
        operation.setDescription(written == null ? rights : written + "\n\n" + rights);
    }

    /** @param path the path after {@code /v1}, with its first slash */
    private static String of(String method, String path) {
        var required = Permission.required(method, path);
        var roles = Arrays.stream(Role.values())
                .filter(role -> role.includes(required.role()))
                .map(role -> '`' + EnumNames.format(role) + '`')
                .collect(Collectors.joining(" or "));
        var scope = '`' + EnumNames.format(required.scope()) + '`';
        return required.role() == Role.VIEWER
                ? "Requires the scope %s. Every role is sufficient.".formatted(scope)
                : "Requires the scope %s and the role %s.".formatted(scope, roles);
    }
}
