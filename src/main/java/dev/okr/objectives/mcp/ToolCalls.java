package dev.okr.objectives.mcp;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.okr.access.ApiKeyCheck;
import dev.okr.access.limits.ByteQuotas;
import dev.okr.organizations.tenant.CurrentTenant;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.JsonWriter;
import dev.okr.platform.http.Problems;
import dev.okr.platform.idempotency.IdempotentCalls;
import dev.okr.platform.idempotency.IdempotentRequest;
import dev.okr.platform.idempotency.StoredResponses;
import io.quarkiverse.mcp.server.TextContent;
import io.quarkiverse.mcp.server.ToolResponse;
import io.quarkus.arc.Arc;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.quarkus.virtual.threads.VirtualThreads;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import org.jboss.resteasy.reactive.RestResponse;

/**
 * Runs a tool like the framework runs a resource: on a virtual thread, in the Vert.x context of the request. That
 * context has the deadline, the trace and the request id. The extension calls tools in a new context without them.
 */
@ApplicationScoped
class ToolCalls {
    /** Keys of the routing context: the Vert.x context of the request, and the arguments of the call. */
    static final String REQUEST_CONTEXT = "okr.mcp.request-context";

    static final String ARGUMENTS = "okr.mcp.arguments";

    private static final int FIRST_ERROR = 400;

    /**
     * The memory for a response, per character of its JSON. The message has it twice. The extension makes a text, an
     * array and a direct buffer of the message, and none of them can be sent in parts.
     */
    private static final long BYTES_PER_CHARACTER = 16;

    /** The result of a change with up to this length is always sent. Its memory is 1 MiB. */
    private static final int MAX_SENT_CHARACTERS = 65_536;

    /** The result of a change if there is too little memory for the whole result. */
    private static final String ONLY_SAVED = """
            {"message":"The change is saved. Its result is omitted, because too many large responses wait."}""";

    private final ApiKeyCheck keys;
    private final ByteQuotas quotas;
    private final CurrentVertxRequest http;
    private final Caller caller;
    private final CurrentTenant tenant;
    private final IdempotentCalls idempotency;
    private final ObjectMapper json;
    private final Problems problems;
    private final ExecutorService threads;

    ToolCalls(
            ApiKeyCheck keys,
            ByteQuotas quotas,
            CurrentVertxRequest http,
            Caller caller,
            CurrentTenant tenant,
            IdempotentCalls idempotency,
            ObjectMapper json,
            Problems problems,
            @VirtualThreads ExecutorService threads) {
        this.keys = keys;
        this.quotas = quotas;
        this.http = http;
        this.caller = caller;
        this.tenant = tenant;
        this.idempotency = idempotency;
        this.json = json;
        this.problems = problems;
        this.threads = threads;
    }

    Uni<ToolResponse> run(Tool tool) {
        var request = http.getCurrent();
        Context context = Objects.requireNonNull(request.get(REQUEST_CONTEXT));
        var extension = Objects.requireNonNull(Vertx.currentContext());
        return Uni.createFrom()
                .emitter(emitter -> context.runOnContext(
                        dispatched -> threads.execute(() -> complete(tool, request, extension, emitter))));
    }

    private void complete(
            Tool tool, RoutingContext request, Context extension, UniEmitter<? super ToolResponse> emitter) {
        ToolResponse response;
        var scope = Arc.container().requestContext();
        scope.activate();
        try {
            response = respond(tool, request);
        } finally {
            scope.terminate();
            ApiKeyCheck.endWork(request);
        }
        extension.runOnContext(dispatched -> emitter.complete(response));
    }

    private ToolResponse respond(Tool tool, RoutingContext request) {
        try {
            http.setCurrent(request);
            Arguments arguments = Objects.requireNonNull(request.get(ARGUMENTS));
            keys.begin(request, caller, tenant, tool.isWriting(), arguments.perPage());
            return answer(tool, request);
        } catch (Throwable failure) {
            // Without a response, the client would wait.
            var body = problem(problems.failureFor(failure, request), request);
            boolean hasMemory = JsonWriter.takeMemory(request, memory(body));
            return response(true, hasMemory ? body : problem(JsonWriter.tooManyLarge(), request));
        }
    }

    private String problem(Failure failure, RoutingContext request) {
        return new String(problems.written(failure, request).body(), StandardCharsets.UTF_8);
    }

    private ToolResponse answer(Tool tool, RoutingContext request) throws Exception {
        try {
            return success(tool, call(tool, request), request);
        } catch (StoredResponses.Replay replay) {
            var body = new String(replay.body(), StandardCharsets.UTF_8);
            return result(tool, replay.status() >= FIRST_ERROR, body, request);
        }
    }

    private RestResponse<?> call(Tool tool, RoutingContext request) throws Exception {
        ApiKeyCheck.require(request, tool.right());
        Arguments arguments = Objects.requireNonNull(request.get(ARGUMENTS));
        if (!tool.isWriting()) {
            return tool.call().with(arguments);
        }
        quotas.require(caller.organizationId(), caller.userId());
        quotas.charge(caller.organizationId(), caller.userId(), request.body().length());
        var key = arguments.idempotencyKey();
        var others = arguments.withoutIdempotencyKey();
        if (key.isEmpty()) {
            return tool.call().with(others);
        }
        var repeatable = IdempotentRequest.of(
                caller.organizationId(), caller.keyId(), "tool " + tool.name(), key.get(), others.bytes());
        return (RestResponse<?>)
                idempotency.run(repeatable, false, request, () -> tool.call().with(others));
    }

    private ToolResponse success(Tool tool, RestResponse<?> result, RoutingContext request)
            throws JsonProcessingException {
        var entity = result.getEntity();
        var body = entity instanceof String text ? text : json.writeValueAsString(entity);
        return result(tool, false, body, request);
    }

    /** The change of a writing tool is committed, so too little memory is not an error then. */
    private static ToolResponse result(Tool tool, boolean isError, String body, RoutingContext request) {
        if (JsonWriter.takeMemory(request, memory(body))) {
            return response(isError, body);
        }
        if (!tool.isWriting() || isError) {
            throw JsonWriter.tooManyLarge();
        }
        if (body.length() > MAX_SENT_CHARACTERS) {
            return response(false, ONLY_SAVED);
        }
        JsonWriter.forceMemory(request, memory(body));
        return response(false, body);
    }

    private static long memory(String body) {
        return BYTES_PER_CHARACTER * body.length();
    }

    /** The body of the API's response, as a value for programs and as text for models. */
    private static ToolResponse response(boolean isError, String body) {
        return new ToolResponse(isError, List.of(new TextContent(body)), new RawValue(body), null);
    }
}
