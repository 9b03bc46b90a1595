package dev.okr.platform.http;

import io.vertx.ext.web.RoutingContext;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The normalised path of a request to the API. The framework matches this path too, so the permission check and the
 * operation see the same path. {@link Fallback} rejects paths with matrix parameters, for which the two would differ.
 */
public final class ApiPath {
    public static final String PREFIX = "/v1";

    /** The path of the tools for assistants. It is not below {@code /v1}, but also needs an API key. */
    public static final String TOOLS = "/mcp";

    private static final Pattern DOT_SEGMENT = Pattern.compile("/(?:\\.|%2e){1,2}(?:/|$)", Pattern.CASE_INSENSITIVE);

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

    /** Whether the request needs an API key. */
    public static boolean needsKey(RoutingContext context) {
        return of(context).isPresent() || context.normalizedPath().equals(TOOLS);
    }

    /**
     * Whether the path has no trailing slash, no double slash and no dot segment. The framework would also serve other
     * spellings of a path, but an idempotency key would not apply to all of them.
     */
    public static boolean isPlain(RoutingContext context) {
        var path = context.request().path();
        return path != null
                && !path.endsWith("/")
                && !path.contains("//")
                && !((path.contains("/.") || path.contains("/%"))
                        && DOT_SEGMENT.matcher(path).find());
    }
}
