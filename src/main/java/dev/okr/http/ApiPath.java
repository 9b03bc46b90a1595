package dev.okr.http;

import io.vertx.ext.web.RoutingContext;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A request's path as the framework matches it, so that no spelling is judged as one operation and served as another:
 * normalised, and without matrix parameters.
 */
public final class ApiPath {
    private static final String API = "/v1";
    private static final Pattern MATRIX_PARAMETERS = Pattern.compile(";[^/]*");

    private ApiPath() {}

    /** The path below {@code /v1}, empty or beginning with a slash; none for a request of something else. */
    public static Optional<String> of(RoutingContext context) {
        var path = context.normalizedPath();
        if (path.indexOf(';') >= 0) {
            path = MATRIX_PARAMETERS.matcher(path).replaceAll("");
        }
        return path.equals(API) || path.startsWith(API + '/')
                ? Optional.of(path.substring(API.length()))
                : Optional.empty();
    }
}
