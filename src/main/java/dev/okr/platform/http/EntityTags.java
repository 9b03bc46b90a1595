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
import java.util.regex.Pattern;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.RestResponse.ResponseBuilder;
import org.jboss.resteasy.reactive.RestResponse.Status;

/**
 * Entity tags. The tag of a resource is a hash of the JSON that a GET of the resource returns, including nested arrays.
 * The response to a change therefore has the same tag as the next GET.
 */
@ApplicationScoped
public class EntityTags {
    private static final String ANY = "*";
    private static final String ENTITY_TAG = "(?:W/)?\"[^\"\\s]*\"";

    /** Java matches a possessive quantifier without recursion, so a long list cannot overflow the stack. */
    private static final Pattern LIST = Pattern.compile("[\\s,]*+(?:%s(?:\\s*+,[\\s,]*+|$))++".formatted(ENTITY_TAG));

    /** Long enough to avoid collisions. */
    private static final int HASH_BYTES = 16;

    private final ObjectMapper json;
    private final CurrentVertxRequest http;

    EntityTags(ObjectMapper json, CurrentVertxRequest http) {
        this.json = json;
        this.http = http;
    }

    /** Responds to a read with 200, or with 304 if {@code If-None-Match} has the tag. */
    public <T> RestResponse<Data<T>> read(T shown) {
        return read(written(shown));
    }

    /** Serializes what a GET of the resource returns, for the tag and the body. */
    public <T> Written<T> written(T shown) {
        var text = text(shown);
        return new Written<>(text, tag(text));
    }

    /** Like {@link #read(Object)}, for a resource that is serialized already. */
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

    /** Responds with 200 to a change of a resource that has no GET. */
    public <T> RestResponse<Data<T>> changed(T data) {
        return tagged(Status.OK, written(data)).build();
    }

    /** @param shown what a GET of the resource returns now */
    public <T> RestResponse<Data<T>> changed(T data, Object shown) {
        return ResponseBuilder.ok(new Data<>(data))
                .header(HttpHeaders.ETAG, tag(shown))
                .build();
    }

    /**
     * Like {@link #created(String, Object, Object)}, for a resource whose GET returns the same data, or that has no
     * GET.
     */
    public <T> RestResponse<Data<T>> created(String location, T data) {
        return tagged(Status.CREATED, written(data))
                .header(HttpHeaders.LOCATION, location)
                .build();
    }

    /**
     * Responds with 201 and the path of the new resource.
     *
     * @param shown what a GET of the resource returns now
     */
    public <T> RestResponse<Data<T>> created(String location, T data, Object shown) {
        return ResponseBuilder.<Data<T>>create(Status.CREATED, new Data<>(data))
                .header(HttpHeaders.LOCATION, location)
                .header(HttpHeaders.ETAG, tag(shown))
                .build();
    }

    /**
     * Returns the envelope as text, because its data is JSON already. A native image has serializers only for the
     * declared types, and text needs none.
     */
    @SuppressWarnings("unchecked")
    private static <T> ResponseBuilder<Data<T>> tagged(Status status, Written<T> written) {
        var response = ResponseBuilder.create(status, "{\"data\":" + written.json() + '}')
                .header(HttpHeaders.ETAG, written.tag());
        return (ResponseBuilder<Data<T>>) (ResponseBuilder<?>) response;
    }

    /**
     * Checks the {@code If-Match} of a change, if there is one. Call it while holding the lock on the resource's row.
     *
     * @param shown what a GET of the resource returns now
     * @throws Failure if the header does not have the tag
     */
    public void requireMatch(Supplier<?> shown) {
        var headers = http.getCurrent().request().headers();
        if (headers.contains(HttpHeaders.IF_MATCH) && !isNamed(tag(shown.get()), HttpHeaders.IF_MATCH)) {
            throw Failure.of(ErrorCode.PRECONDITION_FAILED);
        }
    }

    /**
     * Whether a value of the header is {@code *} or a list of entity tags that contains the tag. Weak tags match too, because proxies weaken tags when they
     * compress. The quotes belong to the tag, so it never matches a part of another tag.
     */
    private boolean isNamed(String tag, String header) {
        var headers = http.getCurrent().request().headers();
        return headers.contains(header)
                && headers.getAll(header).stream()
                        .map(String::strip)
                        .anyMatch(value -> value.equals(ANY)
                                || value.contains(tag) && LIST.matcher(value).matches());
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

    private String tag(String text) {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        // Reported here too, because a 304 and some changes write this JSON only for the tag.
        JsonWriter.written(http.getCurrent(), bytes.length);
        try {
            var hash = MessageDigest.getInstance("SHA-256").digest(bytes);
            return '"' + Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(hash, HASH_BYTES)) + '"';
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256.", e);
        }
    }
}
