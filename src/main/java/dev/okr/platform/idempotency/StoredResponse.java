package dev.okr.platform.idempotency;

import org.jspecify.annotations.Nullable;

/** The response to the first request. A replay has a request id of its own. */
record StoredResponse(
        int status,
        String contentType,
        @Nullable String location,
        @Nullable String etag,
        byte[] body) {}
