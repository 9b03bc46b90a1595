package dev.okr.platform.http;

import io.vertx.ext.web.RoutingContext;
import java.util.Optional;

/** Error pages for the paths of the console. */
public interface ErrorPages {
    String MEDIA_TYPE = "text/html;charset=UTF-8";

    /** The page for a problem. Empty for a path outside the console. */
    Optional<String> page(Problem problem, RoutingContext context);
}
