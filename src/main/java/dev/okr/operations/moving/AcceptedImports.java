package dev.okr.operations.moving;

import dev.okr.operations.moving.Uploads.Stored;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.Data;
import dev.okr.platform.idempotency.BodyDigest;
import dev.okr.platform.idempotency.Idempotent;
import dev.okr.platform.ids.IdKind;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.core.HttpHeaders;
import java.sql.SQLException;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.RestResponse.ResponseBuilder;
import org.jboss.resteasy.reactive.RestResponse.Status;

/** Queues the imports of uploaded files. */
@ApplicationScoped
class AcceptedImports {
    /** The limit for one organisation, because each import can have a large file. */
    private static final int MAX_UNFINISHED = 10;

    private final ImportStore store;
    private final Caller caller;

    AcceptedImports(ImportStore store, Caller caller) {
        this.store = store;
        this.caller = caller;
    }

    /** @throws Failure if too many imports wait already */
    void requireRoom() {
        if (store.unfinished(caller.organizationId()) >= MAX_UNFINISHED) {
            throw Failure.limitReached("unfinished imports", MAX_UNFINISHED);
        }
    }

    /** @param digest lets a request with an idempotency key be repeated */
    @Idempotent
    RestResponse<Data<ImportResponse>> accept(BodyDigest digest, Stored stored) throws SQLException {
        store.accept(caller.organizationId(), stored.id(), stored.bytes());
        var accepted = ImportResponse.require(stored.id());
        return ResponseBuilder.create(Status.ACCEPTED, new Data<>(accepted))
                .header(HttpHeaders.LOCATION, "/v1/imports/" + IdKind.IMPORT.format(stored.id()))
                .build();
    }
}
