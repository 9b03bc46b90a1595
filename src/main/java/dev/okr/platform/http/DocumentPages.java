package dev.okr.platform.http;

import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import io.quarkus.smallrye.openapi.runtime.OpenApiConstants;
import io.quarkus.smallrye.openapi.runtime.OpenApiDocumentService;
import io.smallrye.openapi.runtime.io.Format;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.GZIPOutputStream;

/**
 * Protects Swagger UI with security headers, and sends the OpenAPI document compressed. It is compressed only once,
 * because everybody can request it. The framework would compress each response. The framework would also answer other
 * methods than GET and HEAD with the document, so they are rejected here.
 */
@ApplicationScoped
class DocumentPages {
    /** After CORS (300), which adds headers. */
    private static final int PRIORITY = 150;

    private static final String DOCUMENT = "/q/openapi";
    private static final String SWAGGER_UI = "/q/swagger-ui";

    /** The pages of Swagger UI contain scripts and styles. */
    private static final String POLICY =
            "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline';"
                    + " img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none';"
                    + " form-action 'self'; frame-ancestors 'none'";

    private final OpenApiDocumentService documents;
    private final Problems problems;
    private final Map<Representation, Buffer> created = new ConcurrentHashMap<>();

    private record Representation(Format format, boolean isCompressed) {}

    DocumentPages(OpenApiDocumentService documents, Problems problems) {
        this.documents = documents;
        this.problems = problems;
    }

    void register(@Observes Router router) {
        router.route("/q/*").order(-PRIORITY).handler(this::handle);
    }

    private void handle(RoutingContext context) {
        var path = context.normalizedPath();
        if (path.startsWith(SWAGGER_UI)) {
            context.response()
                    .putHeader("Content-Security-Policy", POLICY)
                    .putHeader("X-Content-Type-Options", "nosniff")
                    .putHeader("Referrer-Policy", "same-origin");
        }
        boolean isDocument = path.equals(DOCUMENT) || path.startsWith(DOCUMENT + '.');
        if (!isDocument || context.request().method() == HttpMethod.OPTIONS) {
            context.next();
            return;
        }
        if (!isRead(context)) {
            context.response().putHeader(HttpHeaders.ALLOW, "GET, HEAD");
            problems.end(context, Failure.of(ErrorCode.METHOD_NOT_ALLOWED));
            return;
        }
        var format = format(path, context);
        boolean isCompressed = Gzip.isAccepted(context.request());
        context.response()
                .putHeader(HttpHeaders.CONTENT_TYPE, format.getMimeType() + ";charset=UTF-8")
                .putHeader(HttpHeaders.VARY, "Accept, Accept-Encoding");
        if (isCompressed) {
            context.response().putHeader(HttpHeaders.CONTENT_ENCODING, Gzip.ENCODING);
        } else if (context.request().method() == HttpMethod.GET) {
            // Otherwise the framework would compress the response. It removes this value.
            context.response().putHeader(HttpHeaders.CONTENT_ENCODING, "identity");
        }
        send(new Representation(format, isCompressed), context);
    }

    private void send(Representation representation, RoutingContext context) {
        var document = created.get(representation);
        if (document != null) {
            ResponseParts.send(document, context.response());
            return;
        }
        // Creating the document takes seconds on a busy machine, and would block other requests of the event loop.
        context.vertx()
                .executeBlocking(() -> created.computeIfAbsent(representation, this::create))
                .onSuccess(first -> ResponseParts.send(first, context.response()))
                .onFailure(context::fail);
    }

    private static boolean isRead(RoutingContext context) {
        var method = context.request().method().name();
        return method.equals("GET") || method.equals("HEAD");
    }

    /** Chooses the format like the framework. */
    private static Format format(String path, RoutingContext context) {
        var accept = context.request().getHeader(HttpHeaders.ACCEPT);
        boolean isJson = path.equals(DOCUMENT)
                ? (accept != null && accept.contains(Format.JSON.getMimeType()))
                        || context.queryParam("format").stream().anyMatch("JSON"::equalsIgnoreCase)
                : path.endsWith(".json");
        return isJson ? Format.JSON : Format.YAML;
    }

    private Buffer create(Representation representation) {
        var document = documents.getDocument(OpenApiConstants.DEFAULT_DOCUMENT_NAME, representation.format);
        if (!representation.isCompressed) {
            return Buffer.buffer(document);
        }
        var bytes = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(bytes)) {
            gzip.write(document);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Buffer.buffer(bytes.toByteArray());
    }
}
