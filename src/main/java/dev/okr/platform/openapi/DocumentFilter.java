package dev.okr.platform.openapi;

import io.quarkus.smallrye.openapi.OpenApiFilter;
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

    private final IndexView index;

    public DocumentFilter(IndexView index) {
        this.index = index;
    }

    @Override
    public void filterOpenAPI(OpenAPI document) {
        var components = document.getComponents();
        var operations = DescribedOperation.all(document, index);
        operations.forEach(operation -> Requests.complete(operation, components));
        Envelopes.complete(components, operations);
        Schemas.complete(components);
        ProblemResponse.addTo(components);
        operations.forEach(Responses::complete);
        document.getPaths().getPathItems().values().forEach(Patches::add);
        Order.arrange(document);
    }
}
