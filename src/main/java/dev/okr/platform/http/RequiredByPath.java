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

    private final Map<String, Rights> bySegment = new HashMap<>();

    /** The values of an annotation. Reading them from the annotation takes longer. */
    public record Rights(Right toRead, Right toWrite) {}

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
    public Optional<Rights> find(String path) {
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
        var rights = new Rights(declared.toRead(), declared.toWrite());
        var other = bySegment.putIfAbsent(firstSegment(path.value().substring(ApiPath.PREFIX.length())), rights);
        if (other != null && !other.equals(rights)) {
            throw new IllegalStateException(
                    resource.getName() + " declares other rights than another class of its collection.");
        }
    }

    private static String firstSegment(String path) {
        int end = path.indexOf('/', 1);
        return path.isEmpty() ? "" : path.substring(1, end < 0 ? path.length() : end);
    }
}
