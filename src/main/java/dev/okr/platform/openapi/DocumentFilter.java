package dev.okr.platform.openapi;

import io.quarkus.smallrye.openapi.OpenApiFilter;
import java.util.List;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.jboss.jandex.IndexView;

/**
 * Completes the document that the framework generates from the code. Other areas have their own filters, which run
 * {@link #BEFORE} this one.
 */
@OpenApiFilter(stages = OpenApiFilter.RunStage.BUILD)
public class DocumentFilter implements OASFilter {
    /** The priority of a filter that runs before this one. This one has the priority 1. */
    public static final int BEFORE = 2;

    private final ResourceMethods methods;

    public DocumentFilter(IndexView index) {
        this.methods = new ResourceMethods(index);
    }

    @Override
    public void filterOpenAPI(OpenAPI document) {
        var operations = operations(document);
        RequestBodies.complete(document.getComponents(), operations);
        Envelopes.complete(document.getComponents(), operations);
        Schemas.complete(document.getComponents());
        ProblemResponse.addTo(document.getComponents());
        operations.forEach(Parameters::complete);
        operations.forEach(Responses::complete);
        Order.arrange(document);
    }

    private List<DescribedOperation> operations(OpenAPI document) {
        return document.getPaths().getPathItems().entrySet().stream()
                .flatMap(path -> path.getValue().getOperations().entrySet().stream()
                        .map(method -> new DescribedOperation(
                                path.getKey(),
                                method.getKey(),
                                method.getValue(),
                                methods.find(method.getValue().getOperationId()))))
                .toList();
    }
}
