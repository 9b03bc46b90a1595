package dev.okr.platform.http;

import io.vertx.ext.web.RoutingContext;
import java.util.Optional;

/**
 * The normalised path of a request to the API. The framework matches this path too, so the permission check and the
 * operation see the same path. {@link Fallback} rejects paths with matrix parameters, for which the two would differ.
 */
public final class ApiPath {
    public static final String PREFIX = "/v1";

    private ApiPath() {}

    /**
     * The path below {@code /v1}. It is empty or begins with a slash.
     *
     * @return {@link Optional#empty} for a request outside the API
     */
    public static Optional<String> of(RoutingContext context) {
        var path = context.normalizedPath();
        return path.equals(PREFIX) || path.startsWith(PREFIX + '/')
                ? Optional.of(path.substring(PREFIX.length()))
                : Optional.empty();
    }
}
