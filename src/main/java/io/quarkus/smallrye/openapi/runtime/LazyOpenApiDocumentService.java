package io.quarkus.smallrye.openapi.runtime;

import io.quarkus.arc.profile.IfBuildProfile;
import io.quarkus.smallrye.openapi.OpenApiFilter.RunStage;
import io.quarkus.smallrye.openapi.runtime.filter.AutoSecurityFilter;
import io.smallrye.openapi.runtime.io.Format;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Alternative;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Prepares the OpenAPI document when it is first read. Quarkus prepares it at the start, by parsing the document and
 * writing it as JSON and as YAML. This takes half of the start of a native binary. A document that cannot be prepared
 * fails its requests instead of the start.
 *
 * <p>The class is in Quarkus' package because {@link #prepareDocument} is package-private. In dev mode, Quarkus has its
 * own class loader, so a package-private method cannot be overridden. The class is only in builds for production.
 */
@IfBuildProfile("prod")
@Alternative
@Priority(1)
@ApplicationScoped
class LazyOpenApiDocumentService extends OpenApiDocumentService {
    private final Map<String, Runnable> preparations = new ConcurrentHashMap<>();

    @Override
    void prepareDocument(AutoSecurityFilter security, Map<RunStage, List<String>> filters, String name) {
        preparations.put(name, () -> super.prepareDocument(security, filters, name));
    }

    @Override
    public synchronized byte[] getDocument(String name, Format format) {
        var preparation = preparations.get(name);
        if (preparation != null) {
            preparation.run();
            preparations.remove(name);
        }
        return super.getDocument(name, format);
    }
}
