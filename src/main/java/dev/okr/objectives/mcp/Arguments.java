package dev.okr.objectives.mcp;

import dev.okr.platform.errors.Failure;
import dev.okr.platform.errors.FieldError;
import dev.okr.platform.http.JsonBody;
import dev.okr.platform.http.JsonValue;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.idempotency.IdempotentRequest;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The arguments of a tool call. They have the names and the rules of the fields and parameters of the API. */
final class Arguments {
    private static final String REQUIRED = "This field is required.";

    private final JsonBody all;

    Arguments(JsonBody all) {
        this.all = all;
    }

    /** The id of the resource that the tool is about. The lookup of the resource checks its kind. */
    String id(String name) {
        return switch (all.members().get(name)) {
            case null -> throw invalid(name, "required", REQUIRED);
            case JsonValue.Text(var text) -> text;
            case JsonValue other -> throw invalid(name, "invalid_type", "This field must be a string.");
        };
    }

    /** The id of the resource that the tool is about, if the tool has no other argument. */
    String onlyId(String name) {
        refuseOthers(Set.of(name));
        return id(name);
    }

    void none() {
        refuseOthers(Set.of());
    }

    /** The body for a resource: the arguments without an id that is part of its path. */
    JsonBody bodyWithout(String... names) {
        return all.without(List.of(names));
    }

    /** The query of a list. The list checks the values. */
    Query query(Set<String> names) {
        refuseOthers(names);
        var query = new Query();
        all.members().forEach((name, value) -> {
            switch (value) {
                case JsonValue.Text(var text) -> query.set(name, text);
                case JsonValue.Number(var lexeme) -> query.set(name, lexeme);
                case JsonValue.Bool(var bool) -> query.set(name, String.valueOf(bool));
                case JsonValue.Null() -> {}
                // Models often send a list where the API takes comma-separated constants.
                case JsonValue.Array(var items) -> query.set(name, joined(name, items));
                case JsonValue other -> throw invalid(name, "invalid_type", "This field must be a string or a number.");
            }
        });
        return query;
    }

    private static String joined(String name, List<JsonValue> items) {
        return items.stream()
                .map(item -> {
                    if (item instanceof JsonValue.Text(var text)) {
                        return text;
                    }
                    throw invalid(name, "invalid_type", "This field must be a string or a list of strings.");
                })
                .collect(Collectors.joining(","));
    }

    /** How many items a call asks for. The list checks the value. */
    @Nullable
    String perPage() {
        return switch (all.members().get(ListQuery.PER_PAGE)) {
            case JsonValue.Text(var text) -> text;
            case JsonValue.Number(var lexeme) -> lexeme;
            case JsonValue.Array(var items) -> joined(ListQuery.PER_PAGE, items);
            case null, default -> null;
        };
    }

    /** The idempotency key of a call. */
    Optional<String> idempotencyKey() {
        var key = all.members().get(InputSchema.IDEMPOTENCY_KEY);
        if (key == null || key instanceof JsonValue.Null) {
            return Optional.empty();
        }
        if (key instanceof JsonValue.Text(var text) && IdempotentRequest.isKey(text)) {
            return Optional.of(text);
        }
        throw invalid(
                InputSchema.IDEMPOTENCY_KEY,
                "invalid_value",
                "This field must have 1 to %d visible ASCII characters."
                        .formatted(IdempotentRequest.MAX_KEY_CHARACTERS));
    }

    Arguments withoutIdempotencyKey() {
        return new Arguments(all.without(List.of(InputSchema.IDEMPOTENCY_KEY)));
    }

    /** Canonical JSON: equal arguments have equal bytes. */
    byte[] bytes() {
        return all.without(List.of()).bytes();
    }

    private void refuseOthers(Set<String> known) {
        all.without(known).reader().verify();
    }

    private static Failure invalid(String name, String code, String detail) {
        return Failure.validation(List.of(error(name, code, detail)));
    }

    private static FieldError error(String name, String code, String detail) {
        return new FieldError('/' + name, code, detail);
    }
}
