package dev.okr.platform.openapi;

import dev.okr.platform.http.ApiPath;
import jakarta.ws.rs.Path;
import java.util.HashMap;
import java.util.Map;
import org.jboss.jandex.AnnotationTarget.Kind;
import org.jboss.jandex.IndexView;
import org.jspecify.annotations.Nullable;

/** The methods of the API's resource classes, by their names. An operation's id is the name of its method. */
public final class ResourceMethods {
    private final Map<String, ResourceMethod> byName = new HashMap<>();

    public ResourceMethods(IndexView index) {
        index.getAnnotations(Path.class).stream()
                .filter(path -> path.target().kind() == Kind.CLASS)
                .filter(path -> path.value().asString().startsWith(ApiPath.PREFIX))
                .map(path -> path.target().asClass().name())
                // The index of the framework has each class twice.
                .distinct()
                .flatMap(name -> index.getClassByName(name).methods().stream())
                .map(ResourceMethod::new)
                .filter(ResourceMethod::isOperation)
                .forEach(this::add);
    }

    /** @param operationId null for an operation that only META-INF/openapi.yaml has */
    public ResourceMethod find(@Nullable String operationId) {
        var method = byName.get(operationId);
        if (method == null) {
            throw new IllegalStateException(
                    "META-INF/openapi.yaml describes an operation that no resource serves: " + operationId);
        }
        return method;
    }

    private void add(ResourceMethod method) {
        if (byName.put(method.info().name(), method) != null) {
            throw new IllegalStateException(
                    "Two operations have the name " + method.info().name());
        }
    }
}
