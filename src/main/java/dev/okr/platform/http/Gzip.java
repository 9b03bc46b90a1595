package dev.okr.platform.http;

import io.netty.buffer.ByteBufOutputStream;
import io.netty.buffer.Unpooled;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** Compresses responses that the framework must not compress. */
public final class Gzip {
    /** The value of {@code Content-Encoding}. */
    static final String ENCODING = "gzip";

    private static final int BUFFER_BYTES = 8_192;

    private static final Pattern ACCEPTED =
            Pattern.compile("\\s*gzip\\s*(?:;\\s*q=(?!0(?:\\.0*)?\\s*$).*)?", Pattern.CASE_INSENSITIVE);

    private Gzip() {}

    /** RFC 9110, section 12.5.3, without wildcards. A weight of 0 refuses an encoding. */
    static boolean isAccepted(HttpServerRequest request) {
        return request.headers().getAll(HttpHeaders.ACCEPT_ENCODING).stream()
                .flatMap(encodings -> Stream.of(encodings.split(",")))
                .anyMatch(each -> ACCEPTED.matcher(each).matches());
    }

    /**
     * Sets the header {@code Content-Encoding}, so that the framework does not compress the response.
     *
     * @return whether the response must be compressed
     */
    public static boolean announce(RoutingContext context) {
        boolean isCompressed = isAccepted(context.request());
        // The framework removes the value "identity".
        context.response()
                .putHeader(HttpHeaders.CONTENT_ENCODING, isCompressed ? ENCODING : HttpHeaders.IDENTITY.toString());
        return isCompressed;
    }

    static Buffer compressed(Buffer content) {
        var compressed = Unpooled.buffer();
        try (var gzip = new Output(new ByteBufOutputStream(compressed))) {
            for (int start = 0; start < content.length(); start += ResponseParts.MAX_BYTES) {
                gzip.write(content.getBytes(start, Math.min(start + ResponseParts.MAX_BYTES, content.length())));
            }
            gzip.finish();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Buffer.buffer(compressed);
    }

    /**
     * Compresses into an output that stays open. Closing it releases the memory outside the heap. Compression takes much
     * processor time, so it uses the fastest level, and lets other virtual threads run.
     */
    public static final class Output extends GZIPOutputStream {
        private int sinceYield;

        public Output(OutputStream output) throws IOException {
            super(output, BUFFER_BYTES);
            def.setLevel(Deflater.BEST_SPEED);
        }

        @Override
        public void write(byte[] bytes, int start, int length) throws IOException {
            super.write(bytes, start, length);
            sinceYield += length;
            if (sinceYield >= ResponseParts.MAX_BYTES) {
                sinceYield = 0;
                Thread.yield();
            }
        }

        /** Call {@link #finish} first, if the content is complete. */
        @Override
        public void close() {
            def.end();
        }
    }
}
