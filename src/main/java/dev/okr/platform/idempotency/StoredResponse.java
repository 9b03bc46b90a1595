package dev.okr.platform.idempotency;

import org.jspecify.annotations.Nullable;

/** A response as it was sent first; its request id is the one header that a replay does not repeat. */
record StoredResponse(
        int status,
        String contentType,
        @Nullable String location,
        @Nullable String etag,
        byte[] body) {}
