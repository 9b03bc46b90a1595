package dev.okr.console;

import io.vertx.ext.web.RoutingContext;
import java.util.Set;

/** Classifies requests by path, normalised as the framework matches it. */
public final class ConsolePath {
    public static final String ROOT = "/settings";

    /** The first page after sign-in. */
    public static final String START_PAGE = ROOT + "/week";

    public static final String OVERVIEW = ROOT + "/overview";

    /** The list of all settings. */
    static final String MENU = ROOT + "/menu";

    /** Pages without sign-in. application.properties lists them too. */
    private static final Set<String> PUBLIC = Set.of(ROOT + "/signed-out", ROOT + "/sign-in-failed", ROOT + "/trial");

    private ConsolePath() {}

    /** @param publicId the id of an objective */
    public static String objective(String publicId) {
        return ROOT + "/objectives/" + publicId;
    }

    /** @param publicId the id of a key result */
    public static String keyResult(String publicId) {
        return ROOT + "/key-results/" + publicId;
    }

    static boolean isConsole(RoutingContext context) {
        var path = of(context);
        return path.equals(ROOT) || path.startsWith(ROOT + '/');
    }

    /** Whether a page requires sign-in. Every page does, except assets and public pages. */
    static boolean needsSignIn(RoutingContext context) {
        return isConsole(context) && !isAsset(context) && !PUBLIC.contains(of(context));
    }

    static boolean isAsset(RoutingContext context) {
        return of(context).startsWith(AssetResource.PATH + '/');
    }

    static String of(RoutingContext context) {
        return context.normalizedPath();
    }
}
