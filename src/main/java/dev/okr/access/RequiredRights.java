package dev.okr.access;

import dev.okr.organizations.Role;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.openapi.DocumentFilter;
import dev.okr.platform.openapi.ResourceMethods;
import io.quarkus.smallrye.openapi.OpenApiFilter;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.PathItem.HttpMethod;
import org.jboss.jandex.IndexView;

/** Adds the required scope and role to the description of each operation in the OpenAPI document. */
@OpenApiFilter(stages = OpenApiFilter.RunStage.BUILD, priority = DocumentFilter.BEFORE)
public class RequiredRights implements OASFilter {
    private final ResourceMethods methods;

    public RequiredRights(IndexView index) {
        this.methods = new ResourceMethods(index);
    }

    @Override
    public void filterOpenAPI(OpenAPI document) {
        document.getPaths()
                .getPathItems()
                .values()
                .forEach(path -> path.getOperations().forEach(this::describe));
    }

    private void describe(HttpMethod method, Operation operation) {
        var right = methods.find(operation.getOperationId()).requiredRight(method == HttpMethod.GET);
        var rights = describe(Permission.of(right));
        var written = operation.getDescription();
        operation.setDescription(written == null ? rights : written + "\n\n" + rights);
    }

    private static String describe(Permission required) {
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
