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
import org.jspecify.annotations.Nullable;

/** Parses a request body. It must be exactly one JSON object without duplicate names. */
final class StrictJson {
    /** Valid requests have two levels. */
    private static final int MAX_DEPTH = 32;

    /** No limit, because bodies are limited and {@link Decimals} counts the digits of numbers. */
    private static final int MAX_NUMBER_CHARACTERS = BodyLimit.MAX_BODY_BYTES + 1;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            // Callers choose the names, so a shared table of names would grow without limit.
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxNumberLength(MAX_NUMBER_CHARACTERS)
                    .build())
            .build();

    private StrictJson() {}

    static JsonValue.Object read(byte[] body) {
        try (var parser = FACTORY.createParser(decode(body))) {
            var first = parser.nextToken();
            if (first == null) {
                throw Failure.malformed("The request body is empty; a JSON object is required.");
            }
            if (first != JsonToken.START_OBJECT) {
                throw Failure.malformed("The request body must be a JSON object.");
            }
            var object = object(parser);
            if (parser.nextToken() != null) {
                throw Failure.malformed("The request body has content after its JSON object.");
            }
            return object;
        } catch (IOException e) {
            throw Failure.malformed(
                    "The request body is not well-formed JSON in UTF-8, has more than %d levels or has a field twice."
                            .formatted(MAX_DEPTH));
        }
    }

    /** Only valid UTF-8. Jackson accepts other encodings and replaces invalid bytes. */
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
