package dev.okr.platform.http;

import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.vertx.core.http.HttpMethod;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.ext.MessageBodyReader;
import jakarta.ws.rs.ext.Provider;
import java.io.IOException;
import java.io.InputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;

/**
 * Reads request bodies as {@link JsonBody}. It checks the media type itself. The framework would report a missing
 * Content-Type for a request without a body, although the error is the missing body.
 */
@Provider
@Consumes(MediaType.WILDCARD)
public class JsonBodyReader implements MessageBodyReader<JsonBody> {
    private static final MediaType MERGE_PATCH = MediaType.valueOf(JsonBody.MERGE_PATCH);

    private final CurrentVertxRequest http;

    JsonBodyReader(CurrentVertxRequest http) {
        this.http = http;
    }

    @Override
    public boolean isReadable(Class<?> type, Type genericType, Annotation[] annotations, MediaType mediaType) {
        return type == JsonBody.class;
    }

    @Override
    public JsonBody readFrom(
            Class<JsonBody> type,
            Type genericType,
            Annotation[] annotations,
            MediaType mediaType,
            MultivaluedMap<String, String> headers,
            InputStream body)
            throws IOException {
        boolean untyped = headers.getFirst(HttpHeaders.CONTENT_TYPE) == null;
        if (!untyped && (mediaType.isWildcardSubtype() || !isAccepted(mediaType))) {
            throw Failure.of(ErrorCode.UNSUPPORTED_MEDIA_TYPE);
        }
        // Rejects a body that is known to be too large before reading it.
        var length = headers.getFirst(HttpHeaders.CONTENT_LENGTH);
        if (length != null && JsonBody.isTooLarge(length)) {
            throw Failure.of(ErrorCode.BODY_TOO_LARGE);
        }
        var bytes = body.readNBytes(JsonBody.MAX_BYTES + 1);
        if (bytes.length > JsonBody.MAX_BYTES) {
            throw Failure.of(ErrorCode.BODY_TOO_LARGE);
        }
        if (untyped && bytes.length > 0) {
            throw Failure.of(ErrorCode.UNSUPPORTED_MEDIA_TYPE);
        }
        return JsonBody.parse(bytes);
    }

    private boolean isAccepted(MediaType mediaType) {
        return MediaType.APPLICATION_JSON_TYPE.isCompatible(mediaType)
                || (MERGE_PATCH.isCompatible(mediaType)
                        && http.getCurrent().request().method() == HttpMethod.PATCH);
    }
}
