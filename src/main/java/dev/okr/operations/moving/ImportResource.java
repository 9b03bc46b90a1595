package dev.okr.operations.moving;

import dev.okr.access.limits.RequestGate;
import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.Data;
import dev.okr.platform.http.EntityTags;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Page;
import dev.okr.platform.http.QueryParameters;
import dev.okr.platform.http.Requires;
import dev.okr.platform.http.Right;
import dev.okr.platform.idempotency.BodyDigest;
import dev.okr.platform.transactions.CallerCheck;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.UriInfo;
import java.io.IOException;
import java.io.InputStream;
import java.sql.SQLException;
import java.util.Locale;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.ParameterIn;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.ResponseStatus;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.RestResponse.StatusCode;

/** Imports data, and shows imports. */
@Path("/v1/imports")
@Tag(name = "Export and import")
@Requires(toRead = Right.READ_EVERYTHING, toWrite = Right.ADMINISTER)
@RunOnVirtualThread
public class ImportResource {
    private static final String DRY_RUN = "dry_run";
    private static final String NOTIFY = "notify";

    private final Uploads uploads;
    private final AcceptedImports imports;
    private final Caller caller;
    private final CurrentVertxRequest http;
    private final RequestGate gate;
    private final EntityTags tags;

    ImportResource(
            Uploads uploads,
            AcceptedImports imports,
            Caller caller,
            CurrentVertxRequest http,
            RequestGate gate,
            EntityTags tags) {
        this.uploads = uploads;
        this.imports = imports;
        this.caller = caller;
        this.http = http;
        this.gate = gate;
        this.tags = tags;
    }

    @GET
    @Operation(summary = "List imports")
    @Parameter(
            name = "status",
            in = ParameterIn.QUERY,
            description = "Only imports in one of these states, separated by commas.",
            schema = @Schema(implementation = String.class))
    public RestResponse<Page<ImportResponse>> listImports(@Context UriInfo uri) {
        var query = ListQuery.newestFirst(uri, "status");
        return Page.of(query, ImportResponse.list(query));
    }

    @GET
    @Path("/{id}")
    @Operation(summary = "Read an import")
    public RestResponse<Data<ImportResponse>> getImport(@PathParam("id") String id) {
        return tags.read(ImportResponse.require(id));
    }

    @POST
    @ResponseStatus(StatusCode.ACCEPTED)
    @Operation(summary = "Import data")
    @Parameter(
            name = DRY_RUN,
            in = ParameterIn.QUERY,
            description = "`true` checks all lines and writes nothing.",
            schema = @Schema(implementation = Boolean.class))
    @Parameter(
            name = NOTIFY,
            in = ParameterIn.QUERY,
            description = "`true` sends the events of the import to webhooks too.",
            schema = @Schema(implementation = Boolean.class))
    public RestResponse<Data<ImportResponse>> importData(
            @Context UriInfo uri, @Context HttpHeaders headers, InputStream body) throws IOException, SQLException {
        var query = new QueryParameters(uri, DRY_RUN, NOTIFY);
        var options = new ImportOptions(query.flag(DRY_RUN), query.flag(NOTIFY), false, isCompressed(headers));
        requireType(headers);
        imports.requireRoom();
        var request = http.getCurrent();
        gate.endTurn(request);
        var stored = uploads.store(
                caller.organizationId(),
                caller.userId(),
                options,
                body,
                gate.streaming(request, caller.organizationId(), caller.userId()));
        try {
            CallerCheck.repeat();
            return imports.accept(new BodyDigest(options.with(stored.sha256())), stored);
        } catch (RuntimeException e) {
            uploads.discard(caller.organizationId(), stored.id());
            throw e;
        }
    }

    private static void requireType(HttpHeaders headers) {
        var type = headers.getHeaderString(HttpHeaders.CONTENT_TYPE);
        boolean isLines = type != null
                && type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT).equals(ExportResource.NDJSON);
        if (!isLines) {
            throw Failure.of(ErrorCode.UNSUPPORTED_MEDIA_TYPE, "Send the body as application/x-ndjson.");
        }
    }

    private static boolean isCompressed(HttpHeaders headers) {
        var encoding = headers.getHeaderString(HttpHeaders.CONTENT_ENCODING);
        return switch (encoding == null ? "identity" : encoding.strip().toLowerCase(Locale.ROOT)) {
            case "identity" -> false;
            case "gzip", "x-gzip" -> true;
            default ->
                throw Failure.of(ErrorCode.UNSUPPORTED_MEDIA_TYPE, "The only content encoding of an import is gzip.");
        };
    }
}
