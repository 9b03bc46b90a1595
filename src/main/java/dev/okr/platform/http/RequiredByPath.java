package dev.okr.platform.http;

import jakarta.ws.rs.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The declarations of {@link Requires}, by the first segment of a path below {@code /v1}. */
public final class RequiredByPath {
    private static volatile @Nullable RequiredByPath served;

    private final Map<String, Requires> bySegment = new HashMap<>();

    private RequiredByPath() {}

    /** The declarations of all resource classes that the service serves. */
    public static RequiredByPath served() {
        var known = served;
        if (known == null) {
            known = of(Routes.served().orElseThrow().resources().stream());
            served = known;
        }
        return known;
    }

    public static RequiredByPath of(Stream<Class<?>> resources) {
        var required = new RequiredByPath();
        resources.distinct().forEach(required::add);
        return required;
    }

    /** @param path a path below {@code /v1}, beginning with a slash */
    public Optional<Requires> find(String path) {
        return Optional.ofNullable(bySegment.get(firstSegment(path)));
    }

    private void add(Class<?> resource) {
        var path = resource.getAnnotation(Path.class);
        if (path == null || !path.value().startsWith(ApiPath.PREFIX)) {
            return;
        }
        var declared = resource.getAnnotation(Requires.class);
        if (declared == null) {
            throw new IllegalStateException(resource.getName() + " does not declare @Requires.");
        }
        var other = bySegment.putIfAbsent(firstSegment(path.value().substring(ApiPath.PREFIX.length())), declared);
        if (other != null && !other.equals(declared)) {
            throw new IllegalStateException(
                    resource.getName() + " declares other rights than another class of its collection.");
        }
    }

    private static String firstSegment(String path) {
        var segments = path.split("/", 3);
        return segments.length < 2 ? "" : segments[1];
    }
}
