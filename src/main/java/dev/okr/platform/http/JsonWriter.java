package dev.okr.platform.http;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.okr.platform.errors.Failure;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.inject.Instance;
import jakarta.ws.rs.ConstrainedTo;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.RuntimeType;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.ext.Provider;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;
import org.jboss.resteasy.reactive.server.core.ResteasyReactiveRequestContext;
import org.jboss.resteasy.reactive.server.spi.ResteasyReactiveResourceInfo;
import org.jboss.resteasy.reactive.server.spi.ServerMessageBodyWriter;
import org.jboss.resteasy.reactive.server.spi.ServerRequestContext;

/**
 * Writes JSON responses. It replaces the writer of the framework, which can put a whole response into direct memory
 * faster than the client takes it. Here a response is a byte array on the heap. Only one part of it is in direct memory
 * at a time ({@link ResponseParts}). While the client reads, the objects of the response can already be collected.
 */
@Provider
@ConstrainedTo(RuntimeType.SERVER)
@Produces(MediaType.APPLICATION_JSON)
public class JsonWriter implements ServerMessageBodyWriter<Object> {
    /**
     * The key of a {@link LongPredicate} in the routing context. It tells whether a response may use this number of
     * bytes.
     */
    public static final String MEMORY = "okr.response-memory";

    private static final int INITIAL_BYTES = 2_048;
    private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

    // Not the mapper itself, because a native image creates this object at build time.
    private final Instance<ObjectMapper> json;

    JsonWriter(Instance<ObjectMapper> json) {
        this.json = json;
    }

    @Override
    public boolean isWriteable(
            Class<?> type, Type genericType, ResteasyReactiveResourceInfo target, MediaType mediaType) {
        return true;
    }

    @Override
    public boolean isWriteable(Class<?> type, Type genericType, Annotation[] annotations, MediaType mediaType) {
        return true;
    }

    @Override
    public void writeResponse(Object response, Type genericType, ServerRequestContext context) throws IOException {
        var http = ((ResteasyReactiveRequestContext) context).unwrap(RoutingContext.class);
        var bytes = bytes(response, http.response()::closed);
        LongPredicate memory = http.get(MEMORY);
        if (bytes.length > ResponseParts.MAX_BYTES
                && memory != null
                && !memory.test(bytes.length)
                && http.request().method() == HttpMethod.GET) {
            throw Failure.unavailable("Too many large responses wait for their clients.", RETRY_AFTER);
        }
        ResponseParts.send(bytes, http.response());
    }

    @Override
    public void writeTo(
            Object response,
            Class<?> type,
            Type genericType,
            Annotation[] annotations,
            MediaType mediaType,
            MultivaluedMap<String, Object> headers,
            OutputStream out)
            throws IOException {
        out.write(bytes(response, () -> false));
    }

    /** A text is JSON already. */
    private byte[] bytes(Object response, BooleanSupplier isGone) throws IOException {
        if (response instanceof String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        var bytes = new YieldingBytes(isGone);
        json.get().writeValue(bytes, response);
        return bytes.toByteArray();
    }

    /**
     * Lets other virtual threads run between the parts of a large response. It fails if the client has disconnected.
     */
    private static final class YieldingBytes extends ByteArrayOutputStream {
        private final BooleanSupplier isGone;

        YieldingBytes(BooleanSupplier isGone) {
            super(INITIAL_BYTES);
            this.isGone = isGone;
        }

        @Override
        public void write(byte[] bytes, int start, int length) {
            if (size() / ResponseParts.MAX_BYTES < (size() + length) / ResponseParts.MAX_BYTES) {
                if (isGone.getAsBoolean()) {
                    throw Failure.malformed("The connection was closed before the response ended.");
                }
                Thread.yield();
            }
            super.write(bytes, start, length);
        }
    }
}
