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

/**
 * The query parameters of an operation that is not a list. Unknown parameters are rejected. {@link ListQuery} is for
 * lists.
 */
public final class QueryParameters {
    private static final UUID NOTHING = new UUID(0, 0);

    private final MultivaluedMap<String, String> parameters;

    /** @throws Failure if the request has other parameters, or one of these more than once */
    public QueryParameters(UriInfo uri, String... known) {
        this.parameters = uri.getQueryParameters();
        var names = Set.of(known);
        parameters.forEach((name, values) -> {
            if (!names.contains(name)) {
                throw Failure.malformed("This operation has no query parameter %s.".formatted(Text.printable(name)));
            }
            if (values.size() > 1) {
                throw Failure.malformed("The query parameter %s is given more than once.".formatted(name));
            }
        });
    }

    /** The time in a parameter. Null without the parameter. */
    public @Nullable Instant time(String name) {
        return value(name, Timestamps::parse, "an RFC 3339 timestamp with an offset");
    }

    /** The constant in a parameter. Null without the parameter. */
    public <E extends Enum<E>> @Nullable E constant(String name, Class<E> type) {
        return value(name, text -> EnumNames.parse(type, text), "one of: " + EnumNames.names(type));
    }

    /** Whether a parameter is {@code true}. Without the parameter, it is false. */
    public boolean flag(String name) {
        return Boolean.TRUE.equals(value(
                name,
                text -> switch (text) {
                    case "true" -> Optional.of(true);
                    case "false" -> Optional.of(false);
                    default -> Optional.empty();
                },
                "true or false"));
    }

    /** The id in a parameter. Null without the parameter. For an id of another kind, an id that no resource has. */
    public @Nullable UUID id(String name, IdKind kind) {
        var text = parameters.getFirst(name);
        return text == null ? null : kind.parse(text).orElse(NOTHING);
    }

    private <T> @Nullable T value(String name, Function<String, Optional<T>> reader, String expected) {
        var text = parameters.getFirst(name);
        return text == null
                ? null
                : reader.apply(text)
                        .orElseThrow(() ->
                                Failure.malformed("The query parameter %s must be %s.".formatted(name, expected)));
    }
}
