package dev.okr.access;

import dev.okr.organizations.Role;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.openapi.DescribedOperation;
import dev.okr.platform.openapi.DocumentFilter;
import io.quarkus.smallrye.openapi.OpenApiFilter;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.jboss.jandex.IndexView;

/** Adds the required scope and role to the description of each operation in the OpenAPI document. */
@OpenApiFilter(stages = OpenApiFilter.RunStage.BUILD, priority = DocumentFilter.BEFORE)
public class RequiredRights implements OASFilter {
    private final IndexView index;

    public RequiredRights(IndexView index) {
        this.index = index;
    }

    @Override
    public void filterOpenAPI(OpenAPI document) {
        DescribedOperation.all(document, index).forEach(operation -> {
            var rights = describe(Permission.of(operation.requiredRight()));
            var written = operation.model().getDescription();
            operation.model().setDescription(written == null ? rights : written + "\n\n" + rights);
        });
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
