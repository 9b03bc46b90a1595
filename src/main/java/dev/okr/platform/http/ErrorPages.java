package dev.okr.platform.http;

import io.vertx.ext.web.RoutingContext;
import java.util.Optional;

/** Shows failures to people, on paths that are for people. */
public interface ErrorPages {
    String MEDIA_TYPE = "text/html;charset=UTF-8";

    /** The page about a problem; none for a request that is not for people. */
    Optional<String> page(Problem problem, RoutingContext context);
}
