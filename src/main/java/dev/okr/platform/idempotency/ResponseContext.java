package dev.okr.platform.idempotency;

import java.util.HexFormat;
import java.util.UUID;

/** The encryption context that binds a stored response to its row. */
public final class ResponseContext {
    private ResponseContext() {}

    public static String of(UUID organizationId, UUID apiKeyId, byte[] routeAndKeyHash) {
        return "idempotent_response/%s/%s/%s"
                .formatted(organizationId, apiKeyId, HexFormat.of().formatHex(routeAndKeyHash));
    }
}
