package dev.okr.platform.http;

import java.util.Optional;

/**
 * A request body, a well-formed JSON object. Its fields are checked only after the resource was found (contract,
 * section 2). It is immutable. A retried transaction starts with a new {@link BodyReader}, without the errors of the
 * previous attempt.
 */
public final class JsonBody {
    private final JsonValue.Object object;
    private final byte[] bytes;

    JsonBody(JsonValue.Object object, byte[] bytes) {
        this.object = object;
        this.bytes = bytes;
    }

    /** The body as it was sent. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** A new reader, without errors. */
    public BodyReader reader() {
        return new BodyReader(object.members());
    }

    /** The text of a field without any check, for work that must be done before the transaction. */
    public Optional<String> uncheckedText(String field) {
        return object.members().get(field) instanceof JsonValue.Text(var text) ? Optional.of(text) : Optional.empty();
    }
}
