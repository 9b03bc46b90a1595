package dev.okr.platform.http;

import java.util.Set;
import java.util.TreeSet;
import org.jboss.resteasy.reactive.server.core.CurrentRequestManager;
import org.jboss.resteasy.reactive.server.handlers.ClassRoutingHandler;
import org.jboss.resteasy.reactive.server.mapping.RequestMapper;

/**
 * The methods of a path, from the framework's routes. RFC 9110, section 15.5.6, requires them in the Allow header of a
 * 405. The framework does not send this header.
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
            // The key null holds sub-resource locators.
            if (method != null && resources.map(remaining) != null) {
                methods.add(method);
                if (method.equals("GET")) {
                    methods.add("HEAD");
                }
            }
        });
    }
}
