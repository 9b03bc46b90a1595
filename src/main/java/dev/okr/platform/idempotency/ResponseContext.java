package dev.okr.platform.idempotency;

import java.util.HexFormat;
import java.util.UUID;

/** What binds an encrypted response to its row: copied to another, it does not decrypt. */
public final class ResponseContext {
    private ResponseContext() {}

    public static String of(UUID organizationId, UUID apiKeyId, byte[] routeAndKeyHash) {
        return "idempotent_response/%s/%s/%s"
                .formatted(organizationId, apiKeyId, HexFormat.of().formatHex(routeAndKeyHash));
    }
}
