package dev.okr.platform.http;

import java.util.Set;
import java.util.TreeSet;
import org.jboss.resteasy.reactive.server.core.CurrentRequestManager;
import org.jboss.resteasy.reactive.server.handlers.ClassRoutingHandler;
import org.jboss.resteasy.reactive.server.mapping.RequestMapper;

/**
 * The methods that a path supports, read off the framework's own routes: it answers 405 without the Allow header that
 * RFC 9110, section 15.5.6, requires.
 */
final class AllowedMethods {
    private AllowedMethods() {}

    static String of(String path) {
        var methods = new TreeSet<String>();
        var classes =
                new RequestMapper<>(CurrentRequestManager.get().getDeployment().getClassMappers());
        for (var match = classes.map(path); match != null; match = classes.continueMatching(path, match)) {
            for (var handler : match.value.handlers) {
                if (handler instanceof ClassRoutingHandler routes) {
                    collect(routes, match.remaining.isEmpty() ? "/" : match.remaining, methods);
                }
            }
        }
        return String.join(", ", methods);
    }

    private static void collect(ClassRoutingHandler routes, String remaining, Set<String> methods) {
        routes.getMappers().forEach((method, resources) -> {
            // Resources without a method of their own stand under null.
            if (method != null && resources.map(remaining) != null) {
                methods.add(method);
                if (method.equals("GET")) {
                    methods.add("HEAD");
                }
            }
        });
    }
}
