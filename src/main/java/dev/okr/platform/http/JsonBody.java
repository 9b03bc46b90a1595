package dev.okr.platform.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.okr.platform.errors.Failure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A request body: exactly one JSON object without duplicate names. Its fields are checked only after the resource was
 * found, so a request for an unknown resource gets 404 even if its fields are invalid. A body is immutable. A retried
 * transaction starts with a new {@link BodyReader}, without the errors of the previous attempt.
 */
public final class JsonBody {
    public static final int MAX_BYTES = 1 << 20;

    /** The media type of a PATCH (RFC 7396). */
    public static final String MERGE_PATCH = "application/merge-patch+json";

    public static final String EMPTY = "The request body is empty. It must be a JSON object.";

    private static final int MAX_LENGTH_DIGITS = 9;

    /** Far more than valid requests have. A batch of objectives has five levels. */
    private static final int MAX_DEPTH = 32;

    /**
     * More than valid requests have. A name and its value are two tokens. So 1,000 check-ins with all six fields have
     * about 14,000, and 100 objectives with 1,000 key results have about 18,000. Without this limit, a body of 1 MiB can
     * become 40 MiB of objects.
     */
    private static final int MAX_TOKENS = 25_000;

    /** Longer than any body, so Jackson rejects no number. {@link Decimals} counts the digits instead. */
    private static final int MAX_NUMBER_CHARACTERS = MAX_BYTES + 1;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            // Callers choose the names, so a shared table of names would grow without limit.
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxTokenCount(MAX_TOKENS)
                    .maxNumberLength(MAX_NUMBER_CHARACTERS)
                    .build())
            .build();

    private final byte[] bytes;
    private final Map<String, JsonValue> members;

    private JsonBody(byte[] bytes, Map<String, JsonValue> members) {
        this.bytes = bytes;
        this.members = members;
    }

    /** Whether a Content-Length is more than a body may have. */
    public static boolean isTooLarge(String contentLength) {
        return contentLength.length() > MAX_LENGTH_DIGITS || Integer.parseInt(contentLength) > MAX_BYTES;
    }

    /** @throws Failure if the bytes are not one JSON object */
    public static JsonBody parse(byte[] bytes) {
        try (var parser = FACTORY.createParser(decode(bytes))) {
            var first = parser.nextToken();
            if (first == null) {
                throw Failure.malformed(EMPTY);
            }
            if (first != JsonToken.START_OBJECT) {
                throw Failure.malformed("The request body must be a JSON object.");
            }
            var object = object(parser);
            if (parser.nextToken() != null) {
                throw Failure.malformed("The request body has content after its JSON object.");
            }
            return new JsonBody(bytes, object.members());
        } catch (IOException e) {
            throw Failure.malformed(
                    ("The request body must be JSON in UTF-8 with at most %d levels, at most %d names, values and"
                                    + " brackets, and without duplicate fields.")
                            .formatted(MAX_DEPTH, MAX_TOKENS));
        }
    }

    /** The body as it was sent. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** A new reader, without errors. */
    public BodyReader reader() {
        return new BodyReader(members);
    }

    /** The text of a field without any check, for work that must be done before the transaction. */
    public Optional<String> uncheckedText(String field) {
        return members.get(field) instanceof JsonValue.Text(var text) ? Optional.of(text) : Optional.empty();
    }

    Map<String, JsonValue> members() {
        return members;
    }

    /** Accepts only valid UTF-8. Jackson would accept other encodings and replace invalid bytes. */
    private static String decode(byte[] body) throws CharacterCodingException {
        return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
    }

    private static JsonValue.Object object(JsonParser parser) throws IOException {
        var members = new LinkedHashMap<String, JsonValue>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            var name = parser.currentName();
            members.put(name, value(parser, parser.nextToken()));
        }
        return new JsonValue.Object(members);
    }

    private static JsonValue.Array array(JsonParser parser) throws IOException {
        var items = new ArrayList<JsonValue>();
        for (var token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
            items.add(value(parser, token));
        }
        return new JsonValue.Array(items);
    }

    private static JsonValue value(JsonParser parser, @Nullable JsonToken token) throws IOException {
        return switch (token) {
            case VALUE_STRING -> new JsonValue.Text(parser.getText());
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new JsonValue.Number(parser.getText());
            case VALUE_TRUE -> new JsonValue.Bool(true);
            case VALUE_FALSE -> new JsonValue.Bool(false);
            case VALUE_NULL -> new JsonValue.Null();
            case START_OBJECT -> object(parser);
            case START_ARRAY -> array(parser);
            case null, default -> throw Failure.malformed("The request body is incomplete.");
        };
    }
}
