package dev.okr.platform.http;

import dev.okr.platform.errors.Failure;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.Timestamps;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.core.UriInfo;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The query parameters of an operation. Unknown parameters are rejected. {@link ListQuery} is for lists. */
public class QueryParameters {
    /** An id that no resource has. It replaces malformed ids and ids of another kind. */
    private static final UUID NOTHING = new UUID(0, 0);

    final MultivaluedMap<String, String> parameters;

    /** @throws Failure if the request has other parameters, or one of these more than once */
    public QueryParameters(UriInfo uri, String... known) {
        this(uri, Set.of(known));
    }

    QueryParameters(UriInfo uri, Set<String> known) {
        this.parameters = uri.getQueryParameters();
        parameters.forEach((name, values) -> {
            if (!known.contains(name)) {
                throw Failure.malformed("This operation has no query parameter %s.".formatted(Text.printable(name)));
            }
            if (values.size() > 1) {
                throw Failure.malformed("The query parameter %s is given more than once.".formatted(name));
            }
        });
    }

    /** The time in a parameter. Null without the parameter. */
    public final @Nullable Instant time(String name) {
        return value(name, Timestamps::parse, "an RFC 3339 timestamp with an offset");
    }

    /** The constant in a parameter. Null without the parameter. */
    public final <E extends Enum<E>> @Nullable E constant(String name, Class<E> type) {
        // Listing the names takes time, and most requests have few filters.
        return parameters.containsKey(name)
                ? value(name, text -> EnumNames.parse(type, text), "one of: " + EnumNames.names(type))
                : null;
    }

    /** The truth value in a parameter. Null without the parameter. */
    public final @Nullable Boolean bool(String name) {
        return value(
                name,
                text -> switch (text) {
                    case "true" -> Optional.of(true);
                    case "false" -> Optional.of(false);
                    default -> Optional.empty();
                },
                "true or false");
    }

    /** Whether a parameter is {@code true}. Without the parameter, it is false. */
    public final boolean flag(String name) {
        return Boolean.TRUE.equals(bool(name));
    }

    /** The id in a parameter. Null without the parameter. For an id of another kind, an id that no resource has. */
    public final @Nullable UUID id(String name, IdKind kind) {
        var text = parameters.getFirst(name);
        return text == null ? null : kind.parse(text).orElse(NOTHING);
    }

    /** The parsed value of a parameter. Null without the parameter. */
    public final <T> @Nullable T value(String name, Function<String, Optional<T>> reader, String expected) {
        var text = parameters.getFirst(name);
        return text == null
                ? null
                : reader.apply(text)
                        .orElseThrow(() ->
                                Failure.malformed("The query parameter %s must be %s.".formatted(name, expected)));
    }
}
