package dev.okr.platform.openapi;

import io.quarkus.smallrye.openapi.OpenApiFilter;
import java.util.List;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.OpenAPI;

/**
 * Completes the document that the framework made out of the code, one concern after the other. Other areas add what
 * only they know by filters of their own, which run {@link #BEFORE} this one.
 */
@OpenApiFilter(stages = OpenApiFilter.RunStage.BUILD)
public class DocumentFilter implements OASFilter {
    /** The priority of a filter that runs before this one, whose priority is 1. */
    public static final int BEFORE = 2;

    @Override
    public void filterOpenAPI(OpenAPI document) {
        var operations = operations(document);
        operations.forEach(DescribedOperation::requireServed);
        RequestBodies.complete(document.getComponents(), operations);
        Envelopes.complete(document.getComponents(), operations);
        Schemas.complete(document.getComponents());
        ProblemResponse.addTo(document.getComponents());
        operations.forEach(Parameters::complete);
        operations.forEach(Responses::complete);
        Order.arrange(document);
    }

    private static List<DescribedOperation> operations(OpenAPI document) {
        return document.getPaths().getPathItems().entrySet().stream()
                .flatMap(path -> path.getValue().getOperations().entrySet().stream()
                        .map(method -> new DescribedOperation(path.getKey(), method.getKey(), method.getValue())))
                .toList();
    }
}
