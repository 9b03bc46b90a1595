package dev.okr.platform.http;

import io.quarkus.resteasy.reactive.server.runtime.ResteasyReactiveRecorder;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jboss.resteasy.reactive.server.handlers.ClassRoutingHandler;
import org.jboss.resteasy.reactive.server.handlers.RestInitialHandler.InitialMatch;
import org.jboss.resteasy.reactive.server.mapping.RequestMapper;
import org.jboss.resteasy.reactive.server.mapping.RequestMapper.RequestPath;
import org.jboss.resteasy.reactive.server.mapping.RuntimeResource;
import org.jboss.resteasy.reactive.server.mapping.URITemplate;
import org.jspecify.annotations.Nullable;

/** The framework's routes to all operations. */
final class Routes {
    private static final Pattern SLASHES = Pattern.compile("/{2,}");

    private static volatile @Nullable Routes served;

    private final RequestMapper<InitialMatch> classes;
    private final Set<Class<?>> resources;
    private final Set<String> templates;
    private final RequestMapper<String> matcher;

    private Routes(RequestMapper<InitialMatch> classes, Set<Class<?>> resources, Set<String> templates) {
        this.classes = classes;
        this.resources = resources;
        this.templates = templates;
        this.matcher = new RequestMapper<>(templates.stream()
                .map(template -> new RequestPath<>(false, new URITemplate(template, false), template))
                .collect(Collectors.toCollection(ArrayList::new)));
    }

    private record Route(String method, String template) {}

    /** The routes of the service. Empty until the framework has deployed the resources. */
    static Optional<Routes> served() {
        var deployment = ResteasyReactiveRecorder.getCurrentDeployment();
        if (served == null && deployment != null) {
            var classes = deployment.getClassMappers();
            served = new Routes(
                    new RequestMapper<>(classes),
                    classes.stream()
                            .flatMap(each -> methods(each.value).values().stream())
                            .flatMap(methods -> methods.getTemplates().stream())
                            .map(method -> method.value.getResourceClass())
                            .collect(Collectors.toUnmodifiableSet()),
                    classes.stream()
                            .flatMap(each -> methods(each.value).values().stream()
                                    .flatMap(methods -> methods.getTemplates().stream())
                                    .map(method -> join(each.template, method.template)))
                            .collect(Collectors.toCollection(LinkedHashSet::new)));
        }
        return Optional.ofNullable(served);
    }

    Set<Class<?>> resources() {
        return resources;
    }

    /** The template of a path. The path can be a template itself. Empty for an unknown path. */
    Optional<String> template(String path) {
        // Many paths have no variables. Matching them would take 1 % of the time of a short request.
        return templates.contains(path)
                ? Optional.of(path)
                : Optional.ofNullable(matcher.map(path)).map(match -> match.value);
    }

    /**
     * The methods of a path. RFC 9110, section 15.5.6, requires them in the Allow header of a 405. The framework does
     * not send this header.
     */
    String allowedMethods(String path) {
        var methods = matching(path).map(Route::method).collect(Collectors.toCollection(TreeSet::new));
        if (methods.contains("GET")) {
            methods.add("HEAD");
        }
        if (methods.contains("PUT") && path.startsWith(ApiPath.PREFIX)) {
            methods.add("PATCH");
        }
        return String.join(", ", methods);
    }

    private Stream<Route> matching(String path) {
        return Stream.iterate(classes.map(path), Objects::nonNull, match -> classes.continueMatching(path, match))
                .flatMap(match -> methods(match.value).entrySet().stream()
                        // The key null holds sub-resource locators.
                        .filter(method -> method.getKey() != null)
                        .map(method -> route(method, match))
                        .flatMap(Optional::stream));
    }

    private static Optional<Route> route(
            Map.Entry<String, RequestMapper<RuntimeResource>> method, RequestMapper.RequestMatch<InitialMatch> match) {
        var target = method.getValue().map(match.remaining.isEmpty() ? "/" : match.remaining);
        return Optional.ofNullable(target)
                .map(found -> new Route(method.getKey(), join(match.template, found.template)));
    }

    /** The routes of a class by HTTP method. */
    private static Map<String, RequestMapper<RuntimeResource>> methods(InitialMatch match) {
        return Stream.of(match.handlers)
                .filter(ClassRoutingHandler.class::isInstance)
                .map(handler -> ((ClassRoutingHandler) handler).getMappers())
                .findFirst()
                .orElse(Map.of());
    }

    private static String join(URITemplate first, URITemplate second) {
        var path = SLASHES.matcher(first.template + second.template).replaceAll("/");
        return path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }
}
