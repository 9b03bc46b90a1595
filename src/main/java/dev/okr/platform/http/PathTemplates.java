package dev.okr.platform.http;

import io.quarkus.resteasy.reactive.server.runtime.ResteasyReactiveRecorder;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jboss.resteasy.reactive.server.handlers.ClassRoutingHandler;
import org.jboss.resteasy.reactive.server.handlers.RestInitialHandler.InitialMatch;
import org.jboss.resteasy.reactive.server.mapping.RequestMapper;
import org.jboss.resteasy.reactive.server.mapping.RuntimeResource;
import org.jboss.resteasy.reactive.server.mapping.URITemplate;
import org.jspecify.annotations.Nullable;

/** The path templates of all operations, from the framework's routes. */
final class PathTemplates {
    private static final Pattern SLASHES = Pattern.compile("/{2,}");

    private record Routes(RequestMapper<InitialMatch> classes, Set<String> templates) {}

    private volatile @Nullable Routes routes;

    /** The template of a path. The path can be a template itself. Empty for an unknown path. */
    Optional<String> of(String path) {
        var known = routes();
        if (known == null) {
            return Optional.empty();
        }
        return known.templates.contains(path) ? Optional.of(path) : match(known.classes, path);
    }

    private static Optional<String> match(RequestMapper<InitialMatch> classes, String path) {
        for (var match = classes.map(path); match != null; match = classes.continueMatching(path, match)) {
            var remaining = match.remaining.isEmpty() ? "/" : match.remaining;
            for (var methods : methods(match.value)) {
                var target = methods.map(remaining);
                if (target != null) {
                    return Optional.of(join(match.template, target.template));
                }
            }
        }
        return Optional.empty();
    }

    /** Null until the framework has deployed the resources. */
    private @Nullable Routes routes() {
        var deployment = ResteasyReactiveRecorder.getCurrentDeployment();
        if (routes == null && deployment != null) {
            var templates = new HashSet<String>();
            for (var each : deployment.getClassMappers()) {
                methods(each.value).stream()
                        .flatMap(methods -> methods.getTemplates().stream())
                        .forEach(method -> templates.add(join(each.template, method.template)));
            }
            routes = new Routes(new RequestMapper<>(deployment.getClassMappers()), templates);
        }
        return routes;
    }

    static List<RequestMapper<RuntimeResource>> methods(InitialMatch match) {
        return Stream.of(match.handlers)
                .filter(ClassRoutingHandler.class::isInstance)
                .map(handler -> ((ClassRoutingHandler) handler).getMappers().values())
                .flatMap(Collection::stream)
                .toList();
    }

    private static String join(URITemplate first, URITemplate second) {
        var path = SLASHES.matcher(first.template + second.template).replaceAll("/");
        return path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }
}
