package dev.okr.access.limits;

import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.JsonBody;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.impl.RoutingContextInternal;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Collects the bodies of requests after their client is known. The framework does not read a body before. There is a
 * limit for each organisation and a limit in all.
 */
final class RequestBodies {
    private static final int PART_OF_HEAP = 4;
    private static final int PART_FOR_ORGANIZATION = 4;

    /**
     * An estimate. The objects of a parsed batch of check-ins need several times its bytes. It keeps them while it waits.
     */
    private static final int PARSED_SIZE = 8;

    private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

    /** A body of this type is not collected. A resource reads it in parts, or rejects its type. */
    private static final String STREAMED = "application/x-ndjson";

    private final Budget<UUID> memory;

    RequestBodies() {
        // Not static, because a native image would contain the memory of the machine that built it.
        long maxBytes = Runtime.getRuntime().maxMemory() / PART_OF_HEAP;
        // An organisation can always send one body of the maximum size.
        long perOrganization = Math.max(maxBytes / PART_FOR_ORGANIZATION, (long) PARSED_SIZE * JsonBody.MAX_BYTES);
        this.memory = new Budget<>(perOrganization, maxBytes);
    }

    /** Completes when the body has arrived. A body that is too large is not kept, because its resource rejects it. */
    CompletableFuture<Void> receive(RoutingContext context, Place place, UUID organizationId) {
        var arrived = new CompletableFuture<Void>();
        var request = context.request();
        if (request.isEnded() || (!hasBody(request) && !isStreamed(context))) {
            arrived.complete(null);
            return arrived;
        }
        if (isStreamed(context)) {
            ClientWatch.allowStreaming(context, 0);
            continueIfExpected(context);
            arrived.complete(null);
            return arrived;
        }
        place.await(arrived);
        var body = Buffer.buffer();
        request.handler(part -> {
            if (!place.takeForBody(memory, organizationId, (long) PARSED_SIZE * part.length())) {
                request.handler(null).endHandler(null);
                arrived.completeExceptionally(
                        Failure.unavailable("Too many request bodies are arriving.", RETRY_AFTER));
            } else if (body.appendBuffer(part).length() > JsonBody.MAX_BYTES) {
                request.handler(null).endHandler(null);
                complete(arrived, body, context);
            }
        });
        request.endHandler(end -> complete(arrived, body, context));
        continueIfExpected(context);
        request.resume();
        return arrived;
    }

    private static boolean isStreamed(RoutingContext context) {
        var type = context.request().getHeader(HttpHeaders.CONTENT_TYPE);
        return type != null && type.split(";", 2)[0].strip().equalsIgnoreCase(STREAMED);
    }

    private static void continueIfExpected(RoutingContext context) {
        if ("100-continue".equalsIgnoreCase(context.request().getHeader(HttpHeaders.EXPECT))) {
            context.response().writeContinue();
        }
    }

    private static boolean hasBody(HttpServerRequest request) {
        var length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        return length == null
                ? request.headers().contains(HttpHeaders.TRANSFER_ENCODING)
                : !length.equals("0") && !JsonBody.isTooLarge(length);
    }

    private static void complete(CompletableFuture<Void> arrived, Buffer body, RoutingContext context) {
        ((RoutingContextInternal) context).setBody(body);
        arrived.complete(null);
    }
}
