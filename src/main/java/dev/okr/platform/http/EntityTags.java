package dev.okr.platform.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.core.HttpHeaders;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.function.Supplier;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.RestResponse.ResponseBuilder;
import org.jboss.resteasy.reactive.RestResponse.Status;

/**
 * Entity tags (contract, section 5). A resource's tag is made of what a single read shows of it, nested arrays
 * included, so that a change is answered with the tag that the next read gives.
 */
@ApplicationScoped
public class EntityTags {
    private static final String ANY = "*";

    /** As many as no two states will ever share by chance. */
    private static final int HASH_BYTES = 16;

    private final ObjectMapper json;
    private final CurrentVertxRequest http;

    EntityTags(ObjectMapper json, CurrentVertxRequest http) {
        this.json = json;
        this.http = http;
    }

    /** Answers a read: 200, or 304 to a caller that has this very state already. */
    public <T> RestResponse<Data<T>> read(T shown) {
        return read(written(shown));
    }

    /** Writes what a single read shows, once for its tag and its body. */
    public <T> Written<T> written(T shown) {
        var text = text(shown);
        return new Written<>(text, tag(text));
    }

    /** The same of something that was written before. */
    public <T> RestResponse<Data<T>> read(Written<T> shown) {
        return isNamed(shown.tag(), HttpHeaders.IF_NONE_MATCH)
                ? ResponseBuilder.<Data<T>>create(Status.NOT_MODIFIED)
                        .header(HttpHeaders.ETAG, shown.tag())
                        .build()
                : tagged(Status.OK, shown).build();
    }

    /**
     * A resource in JSON, with its entity tag.
     *
     * @param <T> the type that was written
     */
    public record Written<T>(String json, String tag) {}

    /** Answers 200 to a change of a resource that no single read shows. */
    public <T> RestResponse<Data<T>> changed(T data) {
        return tagged(Status.OK, written(data)).build();
    }

    /** @param shown what a single read shows now */
    public <T> RestResponse<Data<T>> changed(T data, Object shown) {
        return ResponseBuilder.ok(new Data<>(data))
                .header(HttpHeaders.ETAG, tag(shown))
                .build();
    }

    /** As {@link #created(String, Object, Object)}, for a resource that no single read shows or shows like this. */
    public <T> RestResponse<Data<T>> created(String location, T data) {
        return tagged(Status.CREATED, written(data))
                .header(HttpHeaders.LOCATION, location)
                .build();
    }

    /**
     * Answers 201 with the new resource's address: where it is read, or else changed or deleted.
     *
     * @param shown what a single read shows now
     */
    public <T> RestResponse<Data<T>> created(String location, T data, Object shown) {
        return ResponseBuilder.<Data<T>>create(Status.CREATED, new Data<>(data))
                .header(HttpHeaders.LOCATION, location)
                .header(HttpHeaders.ETAG, tag(shown))
                .build();
    }

    /**
     * Sends the envelope as text, because its data is in JSON already. Text needs no serializer, which a native image
     * would have only for the declared types.
     */
    @SuppressWarnings("unchecked")
    private static <T> ResponseBuilder<Data<T>> tagged(Status status, Written<T> written) {
        var response = ResponseBuilder.create(status, "{\"data\":" + written.json() + '}')
                .header(HttpHeaders.ETAG, written.tag());
        return (ResponseBuilder<Data<T>>) (ResponseBuilder<?>) response;
    }

    /**
     * Checks the {@code If-Match} of a change, if there is one. To be asked under the lock on the resource's row.
     *
     * @param shown what a single read shows now
     * @throws Failure when it names other states than this one
     */
    public void requireMatch(Supplier<?> shown) {
        var headers = http.getCurrent().request().headers();
        if (headers.contains(HttpHeaders.IF_MATCH) && !isNamed(tag(shown.get()), HttpHeaders.IF_MATCH)) {
            throw Failure.of(
                    ErrorCode.PRECONDITION_FAILED,
                    "The resource has changed since it was read. Read it again and repeat the change.");
        }
    }

    /**
     * Whether a header is {@code *} or lists the tag, weakened or not: proxies weaken tags when they compress. A tag
     * is looked for with its quotes and so is never a part of another.
     */
    private boolean isNamed(String tag, String header) {
        var headers = http.getCurrent().request().headers();
        return headers.contains(header)
                && headers.getAll(header).stream()
                        .anyMatch(value -> value.strip().equals(ANY) || value.contains(tag));
    }

    private String tag(Object shown) {
        return tag(text(shown));
    }

    private String text(Object shown) {
        try {
            return json.writeValueAsString(shown);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String tag(String text) {
        try {
            var hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return '"' + Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(hash, HASH_BYTES)) + '"';
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
