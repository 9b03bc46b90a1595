package dev.okr.console;

import io.vertx.ext.web.RoutingContext;
import java.util.Set;

/** Which requests are the console's, judged by the path as the framework matches it. */
final class ConsolePath {
    static final String ROOT = "/settings";

    private static final String ASSETS = ROOT + "/assets/";

    /** application.properties names them too, for whoever has not signed in. */
    private static final Set<String> PUBLIC = Set.of(ROOT + "/signed-out", ROOT + "/sign-in-failed");

    private ConsolePath() {}

    static boolean isConsole(RoutingContext context) {
        var path = of(context);
        return path.equals(ROOT) || path.startsWith(ROOT + '/');
    }

    /** Whether a page is for people who have signed in; every one is that is not named here. */
    static boolean needsSignIn(RoutingContext context) {
        return isConsole(context) && !isAsset(context) && !PUBLIC.contains(of(context));
    }

    static boolean isAsset(RoutingContext context) {
        return of(context).startsWith(ASSETS);
    }

    static String of(RoutingContext context) {
        return context.normalizedPath();
    }
}
