package dev.okr.platform.idempotency;

import org.jspecify.annotations.Nullable;

/** The response to the first request. A replay has its own request id. */
record StoredResponse(
        int status,
        String contentType,
        @Nullable String location,
        @Nullable String etag,
        byte[] body) {}
