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
 * limit for each user, one for each organisation, and one in all.
 */
final class RequestBodies {
    private static final int PART_OF_HEAP = 8;
    private static final int PART_FOR_ORGANIZATION = 4;
    private static final int PART_FOR_USER = 2;

    /** The bodies of senders that are not known are small forms. */
    private static final int BYTES_PER_NETWORK = 64 << 10;

    private static final int PART_FOR_NETWORKS = 4;

    /** An organisation can always send a few small changes, even if others use up all memory for bodies. */
    private static final int MIN_BYTES_FOR_ORGANIZATION = 16 << 10;

    private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

    /** A body of this type is not collected. A resource reads it in parts, or rejects its type. */
    private static final String STREAMED = "application/x-ndjson";

    private final long perUser;
    private final Budget<UUID> ofOrganizations;
    private final Shares<UUID> ofUsers = new Shares<>();
    private final Budget<String> ofNetworks;

    RequestBodies() {
        // Not static, because a native image would contain the memory of the machine that built it.
        long maxBytes = Runtime.getRuntime().maxMemory() / PART_OF_HEAP;
        long perOrganization = maxBytes / PART_FOR_ORGANIZATION;
        // The limit of a user allows at least one body of the maximum size.
        this.perUser = Math.max(perOrganization / PART_FOR_USER, JsonBody.MAX_BYTES);
        this.ofOrganizations = new Budget<>(PART_FOR_USER * perUser, maxBytes, MIN_BYTES_FOR_ORGANIZATION);
        this.ofNetworks = new Budget<>(BYTES_PER_NETWORK, maxBytes / PART_FOR_NETWORKS);
    }

    /**
     * The memory for the body of a request whose sender is known.
     *
     * @param user the id of the user. All API keys of a user share one part of the organisation's memory.
     */
    Place.Memory of(UUID organizationId, UUID user) {
        return new Place.Memory() {
            @Override
            public boolean take(long bytes) {
                if (!ofUsers.take(user, bytes, perUser)) {
                    return false;
                }
                if (!ofOrganizations.take(organizationId, bytes)) {
                    ofUsers.release(user, bytes);
                    return false;
                }
                return true;
            }

            @Override
            public void release(long bytes) {
                ofUsers.release(user, bytes);
                ofOrganizations.release(organizationId, bytes);
            }
        };
    }

    /** The memory for the body of a request whose sender is not known. */
    Place.Memory ofNetwork(String network) {
        return ofNetworks.of(network);
    }

    /** Completes when the body has arrived. A body that is too large is not kept, because its resource rejects it. */
    CompletableFuture<Void> receive(RoutingContext context, Place place, Place.Memory memory) {
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
            if (!place.takeForBody(memory, part.length())) {
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

    static boolean isStreamed(RoutingContext context) {
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
