package dev.okr.platform.http;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.okr.platform.errors.Failure;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.inject.Instance;
import jakarta.ws.rs.ConstrainedTo;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.RuntimeType;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.ext.Provider;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jboss.resteasy.reactive.server.core.ResteasyReactiveRequestContext;
import org.jboss.resteasy.reactive.server.spi.ResteasyReactiveResourceInfo;
import org.jboss.resteasy.reactive.server.spi.ServerMessageBodyWriter;
import org.jboss.resteasy.reactive.server.spi.ServerRequestContext;

/**
 * Writes JSON responses. It replaces the writer of the framework, which can put a whole response into direct memory
 * faster than the client takes it. Here a response is in byte arrays on the heap. Only one part of it is in direct memory
 * at a time ({@link ResponseParts}). The objects of the response can be collected while the client reads.
 */
@Provider
@ConstrainedTo(RuntimeType.SERVER)
@Produces({MediaType.APPLICATION_JSON, Problem.MEDIA_TYPE})
public class JsonWriter implements ServerMessageBodyWriter<Object> {
    /** The key of the {@link Limits} in the routing context. */
    public static final String LIMITS = "okr.response-limits";

    /** The limits that apply to the request of a response. */
    public interface Limits {
        /**
         * Takes a part of the organisation's memory for large responses. The request returns it after its client has the
         * response. Returns false if there is too little.
         */
        boolean take(long bytes);

        /** Takes memory for a response that cannot be rejected, even if there is too little. */
        void force(long bytes);

        /** Called when the request has written a large response, with its size before compression. */
        void written(long bytes);

        /** Called when the response is in memory, before it is sent and logged. Then another request may use the database. */
        void endTurn();
    }

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
        var request = (ResteasyReactiveRequestContext) context;
        var http = request.unwrap(RoutingContext.class);
        var body = write(response, http.response()::closed);
        if (response instanceof StoredJson) {
            // StoredResponses took the memory before it read the stored JSON.
            endTurnAndSend(encoded(body, http), http, request);
        } else {
            // A problem can be refused, because its request has changed nothing.
            send(body, response instanceof Problem || isGet(http), http, request);
        }
    }

    /**
     * Sends a response in parts.
     *
     * @throws Failure if there is no memory left for the large response to a GET. The response to a change is sent
     *     anyway
     */
    public static void send(Buffer body, ServerRequestContext context) {
        var request = (ResteasyReactiveRequestContext) context;
        var http = request.unwrap(RoutingContext.class);
        send(body, isGet(http), http, request);
    }

    private static boolean isGet(RoutingContext http) {
        return http.request().method() == HttpMethod.GET;
    }

    private static void send(
            Buffer body, boolean isRefusable, RoutingContext http, ResteasyReactiveRequestContext request) {
        var encoded = encoded(body, http);
        // The body of the response to a HEAD is not sent, so it does not wait.
        if (http.request().method() != HttpMethod.HEAD && !takeMemory(http, encoded.length())) {
            if (isRefusable) {
                http.response().headers().remove(HttpHeaders.CONTENT_ENCODING);
                throw tooManyLarge();
            }
            forceMemory(http, encoded.length());
        }
        endTurnAndSend(encoded, http, request);
    }

    private static void endTurnAndSend(Buffer body, RoutingContext http, ResteasyReactiveRequestContext request) {
        if (http.get(LIMITS) instanceof Limits limits) {
            limits.endTurn();
        }
        ResponseParts.send(body, http.response());
        // The headers are written now. The framework keeps the request until the client has taken the response. So it
        // would also keep the parsed request and the objects of the response, which can need many times the memory of a
        // compressed response.
        request.setResult(null);
        request.setResponse(null);
        request.setRequestEntity(null);
        Arrays.fill(request.getParameters(), null);
        if (request.getThrowable() instanceof Failure failure) {
            failure.forgetErrors();
        }
    }

    /** Compresses a large body here. The framework would do it on the event loop, and many other requests would wait. */
    private static Buffer encoded(Buffer body, RoutingContext http) {
        written(http, body.length());
        if (body.length() <= ResponseParts.MAX_BYTES || http.request().method() == HttpMethod.HEAD) {
            return body;
        }
        return Gzip.announce(http) ? Gzip.compressed(body) : body;
    }

    /**
     * Tells the limits how much the request has written. Does nothing up to {@link ResponseParts#MAX_BYTES}, because that
     * takes little processor time.
     */
    static void written(RoutingContext http, long bytes) {
        if (bytes > ResponseParts.MAX_BYTES && http.get(LIMITS) instanceof Limits limits) {
            limits.written(bytes);
        }
    }

    /** Takes the memory for a large response. Returns false if there is too little. */
    public static boolean takeMemory(RoutingContext http, long bytes) {
        return bytes <= ResponseParts.MAX_BYTES || !(http.get(LIMITS) instanceof Limits limits) || limits.take(bytes);
    }

    /** Takes the memory for a response that cannot be rejected, even if there is too little. */
    public static void forceMemory(RoutingContext http, long bytes) {
        if (http.get(LIMITS) instanceof Limits limits) {
            limits.force(bytes);
        }
    }

    /** The failure if there is no memory left for a large response. */
    public static Failure tooManyLarge() {
        return Failure.unavailable("Too many large responses wait for their clients.", RETRY_AFTER);
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
        out.write(write(response, () -> false).getBytes());
    }

    /** A text is JSON already. */
    private Buffer write(Object response, BooleanSupplier isGone) throws IOException {
        if (response instanceof StoredJson stored) {
            return Buffer.buffer(Unpooled.wrappedBuffer(stored.bytes()));
        }
        if (response instanceof String text) {
            return Buffer.buffer(text);
        }
        var parts = new Parts(isGone);
        json.get().writeValue(parts, response);
        return parts.buffer();
    }

    /**
     * The parts of a response. One array for a large response would be copied several times while it grows. Lets other
     * virtual threads run after each part. Fails if the client has disconnected.
     */
    private static final class Parts extends OutputStream {
        private final BooleanSupplier isGone;
        private final List<ByteBuf> full = new ArrayList<>();
        private byte[] part = {};
        private int used;

        Parts(BooleanSupplier isGone) {
            this.isGone = isGone;
        }

        @Override
        public void write(int octet) {
            write(new byte[] {(byte) octet}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int start, int length) {
            int written = 0;
            while (written < length) {
                if (used == part.length) {
                    grow(length - written);
                }
                int added = Math.min(length - written, part.length - used);
                System.arraycopy(bytes, start + written, part, used, added);
                used += added;
                written += added;
            }
        }

        private void grow(int missing) {
            if (part.length < ResponseParts.MAX_BYTES) {
                // Jackson writes a short response in one call. So an array of exactly its size is enough.
                int enough = Math.max(2 * part.length, used + missing);
                part = Arrays.copyOf(part, Math.min(enough, ResponseParts.MAX_BYTES));
                return;
            }
            if (isGone.getAsBoolean()) {
                throw Failure.malformed("The connection was closed before the response ended.");
            }
            Thread.yield();
            full.add(Unpooled.wrappedBuffer(part));
            part = new byte[ResponseParts.MAX_BYTES];
            used = 0;
        }

        Buffer buffer() {
            var last = Unpooled.wrappedBuffer(part, 0, used);
            if (full.isEmpty()) {
                return Buffer.buffer(last);
            }
            full.add(last);
            return Buffer.buffer(Unpooled.wrappedBuffer(full.size(), full.toArray(ByteBuf[]::new)));
        }
    }
}
