package dev.okr.objectives.mcp;

import dev.okr.access.ApiKeyCheck;
import dev.okr.access.limits.LargeRequests;
import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.ApiPath;
import dev.okr.platform.http.JsonBody;
import dev.okr.platform.http.Problems;
import dev.okr.platform.http.ResponseParts;
import io.quarkiverse.mcp.server.runtime.ConnectionManager;
import io.quarkiverse.mcp.server.runtime.McpMessageHandler;
import io.quarkus.virtual.threads.VirtualThreads;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.impl.RoutingContextInternal;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.net.URI;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/**
 * Admits messages to {@code /mcp} before the extension handles them. It checks the API key like the API does, and
 * rejects messages that the extension cannot handle.
 *
 * <p>There are no sessions. Each request has its own API key, so any replica can answer it. The extension would keep a
 * session in the memory of one replica.
 */
@ApplicationScoped
class McpEndpoint {
    /** Runs after CORS (300) and authentication (200), like all handlers that respond. */
    private static final int PRIORITY = 140;

    private static final String SESSION = "Mcp-Session-Id";
    private static final String PROTOCOL_VERSION = "MCP-Protocol-Version";
    private static final String JSON = "application/json";
    private static final int METHOD_NOT_FOUND = -32_601;
    private static final int INVALID_PARAMS = -32_602;

    /** The methods that the extension handles. A client of a server that only has tools needs no others. */
    private static final Set<String> METHODS =
            Set.of(Message.INITIALIZE, "ping", "tools/list", Message.CALL_TOOL, "logging/setLevel");

    private static final Set<String> LOCAL_HOSTS = Set.of("localhost", "127.0.0.1", "[::1]");

    private final boolean isEnabled;
    private final boolean checksOrigin;
    private final ApiKeyCheck keys;
    private final LargeRequests large;
    private final Toolbox toolbox;
    private final Problems problems;
    private final ConnectionManager sessions;
    private final ExecutorService threads;

    McpEndpoint(
            @ConfigProperty(name = "okr.mcp.enabled") boolean isEnabled,
            @ConfigProperty(name = "quarkus.http.cors.enabled", defaultValue = "false") boolean hasCors,
            ApiKeyCheck keys,
            LargeRequests large,
            Toolbox toolbox,
            Problems problems,
            ConnectionManager sessions,
            @VirtualThreads ExecutorService threads) {
        this.isEnabled = isEnabled;
        this.checksOrigin = !hasCors;
        this.keys = keys;
        this.large = large;
        this.toolbox = toolbox;
        this.problems = problems;
        this.sessions = sessions;
        this.threads = threads;
    }

    void register(@Observes Router router) {
        router.route(ApiPath.TOOLS + '*').order(-PRIORITY).handler(this::handle);
    }

    private void handle(RoutingContext context) {
        var path = context.normalizedPath();
        if (!path.equals(ApiPath.TOOLS) && !path.startsWith(ApiPath.TOOLS + '/')) {
            context.next();
            return;
        }
        try {
            if (!isEnabled || !path.equals(ApiPath.TOOLS)) {
                throw Failure.of(ErrorCode.NOT_FOUND);
            }
            requireKnownOrigin(context.request().getHeader(HttpHeaders.ORIGIN));
            var vertx = Objects.requireNonNull(Vertx.currentContext());
            context.put(ToolCalls.REQUEST_CONTEXT, vertx);
            // Otherwise the body would arrive and be lost while the key is loaded.
            context.request().pause();
            keys.admit(context)
                    .whenComplete((admitted, failure) -> vertx.runOnContext(dispatched -> proceed(context, failure)));
        } catch (Failure failure) {
            problems.end(context, failure);
        }
    }

    /**
     * The protocol requires this check, to reject websites that send requests from a browser. If CORS is enabled, its
     * filter has checked the origin.
     */
    private void requireKnownOrigin(@Nullable String origin) {
        if (checksOrigin && origin != null && !isLocal(origin)) {
            throw Failure.forbidden("Requests of websites need an allowed origin.");
        }
    }

    private static boolean isLocal(String origin) {
        try {
            var host = URI.create(origin).getHost();
            return host != null && LOCAL_HOSTS.contains(host);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private void proceed(RoutingContext context, @Nullable Throwable failure) {
        try {
            if (failure != null) {
                throw failure instanceof CompletionException wrapped && wrapped.getCause() != null
                        ? wrapped.getCause()
                        : failure;
            }
            requireJson(context);
            requireLength(context);
            threads.execute(() -> read(context));
        } catch (Throwable refusal) {
            refuse(context, refusal);
        }
    }

    /**
     * Parses the message on the virtual thread of the request, after it has its turn. While a message waits, it only
     * needs the memory of its body. Parsing a large message here does not block the event loop.
     */
    private void read(RoutingContext context) {
        Context vertx = Objects.requireNonNull(context.get(ToolCalls.REQUEST_CONTEXT));
        try {
            keys.awaitTurn(context);
            large.awaitForBody(context, ApiKeyCheck.organizationId(context));
            var body = context.body().buffer();
            var message = Message.read(body == null ? new byte[0] : body.getBytes());
            vertx.runOnContext(dispatched -> receive(context, message));
        } catch (Throwable refusal) {
            vertx.runOnContext(dispatched -> refuse(context, refusal));
        }
    }

    /** Responds with a problem, unless the request is already answered. The router does not handle these failures. */
    private void refuse(RoutingContext context, Throwable refusal) {
        ApiKeyCheck.endWork(context);
        if (!isAnswered(context)) {
            problems.end(context, problems.failureFor(refusal, context));
        }
    }

    /** Whether the request has its response, or its client has disconnected. */
    private static boolean isAnswered(RoutingContext context) {
        return context.response().ended() || context.response().closed();
    }

    private static void requireJson(RoutingContext context) {
        var request = context.request();
        if (request.method() != HttpMethod.POST) {
            context.response().putHeader(HttpHeaders.ALLOW, HttpMethod.POST.name());
            throw Failure.of(ErrorCode.METHOD_NOT_ALLOWED);
        }
        var accept = request.getHeader(HttpHeaders.ACCEPT);
        if (accept != null && !accept.contains(JSON) && !accept.contains("*/*") && !accept.contains("application/*")) {
            throw Failure.of(ErrorCode.NOT_ACCEPTABLE);
        }
        var type = request.getHeader(HttpHeaders.CONTENT_TYPE);
        if (type == null || !type.split(";", 2)[0].strip().equalsIgnoreCase(JSON)) {
            throw Failure.of(ErrorCode.UNSUPPORTED_MEDIA_TYPE);
        }
        var version = request.getHeader(PROTOCOL_VERSION);
        if (version != null && !McpMessageHandler.SUPPORTED_PROTOCOL_VERSIONS.contains(version)) {
            throw Failure.malformed("The header %s must be one of: %s"
                    .formatted(PROTOCOL_VERSION, String.join(", ", McpMessageHandler.SUPPORTED_PROTOCOL_VERSIONS)));
        }
    }

    private static void requireLength(RoutingContext context) {
        var length = context.request().getHeader(HttpHeaders.CONTENT_LENGTH);
        var body = context.body().buffer();
        if ((length != null && JsonBody.isTooLarge(length)) || (body != null && body.length() > JsonBody.MAX_BYTES)) {
            throw Failure.of(ErrorCode.BODY_TOO_LARGE);
        }
    }

    private void receive(RoutingContext context, Message message) {
        try {
            if (isAnswered(context)) {
                ApiKeyCheck.endWork(context);
            } else if (message.needsResponse() && message.method().equals(Message.CALL_TOOL)) {
                call(context, message);
            } else {
                ApiKeyCheck.endWork(context);
                respond(context, message);
            }
        } catch (Throwable refusal) {
            refuse(context, refusal);
        }
    }

    private void respond(RoutingContext context, Message message) {
        if (!message.needsResponse()) {
            // Notifications and responses need nothing, because there is no session. The extension rejects
            // notifications/initialized if another replica handled initialize.
            context.response().setStatusCode(202).end();
        } else if (!METHODS.contains(message.method())) {
            respondWithError(context, message, METHOD_NOT_FOUND, "This method is not supported.");
        } else if (message.params().members().containsKey("cursor")) {
            respondWithError(context, message, INVALID_PARAMS, "The list of tools has no further page.");
        } else {
            forward(context, message);
        }
    }

    /** A call that is forwarded keeps its turn until the tool has run. */
    private void call(RoutingContext context, Message message) {
        var tool = toolbox.find(message.tool());
        var refusal = tool.flatMap(known -> ApiKeyCheck.refusal(context, known.right()));
        if (tool.isEmpty()) {
            respondWithError(context, message, INVALID_PARAMS, "There is no such tool.");
        } else if (refusal.isPresent()) {
            // The tool is not listed for this key. The reason helps to choose another key.
            var reason = refusal.get().code().code() + ": " + refusal.get().detail();
            respondWithError(context, message, INVALID_PARAMS, reason);
        } else {
            context.put(ToolCalls.ARGUMENTS, new Arguments(message.arguments()));
            forward(context, message);
        }
    }

    private static void respondWithError(RoutingContext context, Message message, int code, String reason) {
        ApiKeyCheck.endWork(context);
        var response = new JsonObject()
                .put("jsonrpc", "2.0")
                .put("id", message.id())
                .put("error", new JsonObject().put("code", code).put("message", reason));
        context.response().putHeader(HttpHeaders.CONTENT_TYPE, JSON).end(response.toBuffer());
    }

    /** Passes a message to the extension, without headers that belong to a session or to operations of the API. */
    private void forward(RoutingContext context, Message message) {
        var headers = context.request().headers();
        Set.of(SESSION, "Idempotency-Key", "If-Match", "If-None-Match").forEach(headers::remove);
        headers.set(HttpHeaders.ACCEPT, JSON + ", text/event-stream");
        context.addHeadersEndHandler(ending -> {
            var sent = context.response().headers();
            // The framework compresses only responses of resources. It would compress a large one on the event loop.
            if (!ResponseParts.isLarge(sent)) {
                sent.remove(HttpHeaders.CONTENT_ENCODING);
            }
            var session = sent.get(SESSION);
            if (session != null) {
                sessions.remove(session);
            }
        });
        var body = (RoutingContextInternal) context;
        body.visitHandler(RoutingContextInternal.BODY_HANDLER);
        body.setBody(Buffer.buffer(message.rewritten().encode()));
        context.next();
    }
}
