package dev.okr.platform.http;

import io.vertx.ext.web.RoutingContext;
import java.util.Optional;

/**
 * A request's path as the framework matches it, so that no spelling is judged as one operation and served as another:
 * normalised. What this cannot tell apart, {@link PlainPaths} refuses.
 */
public final class ApiPath {
    private static final String API = "/v1";

    private ApiPath() {}

    /** The path below {@code /v1}, empty or beginning with a slash; none for a request of something else. */
    public static Optional<String> of(RoutingContext context) {
        var path = context.normalizedPath();
        return path.equals(API) || path.startsWith(API + '/')
                ? Optional.of(path.substring(API.length()))
                : Optional.empty();
    }
}
