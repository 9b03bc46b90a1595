package dev.okr.webhooks;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs deliveries according to Standard Webhooks 1.0.0. The signature is the HMAC-SHA256 of id, timestamp and body,
 * joined by full stops.
 */
final class Signature {
    private static final String ALGORITHM = "HmacSHA256";
    private static final String VERSION = "v1,";

    private Signature() {}

    /** The value of the header: one signature for each key, separated by spaces. */
    static String header(List<byte[]> keys, String messageId, long timestampSeconds, byte[] body) {
        var prefix = (messageId + '.' + timestampSeconds + '.').getBytes(StandardCharsets.UTF_8);
        return keys.stream().map(key -> VERSION + sign(key, prefix, body)).collect(Collectors.joining(" "));
    }

    private static String sign(byte[] key, byte[] prefix, byte[] body) {
        try {
            var mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            mac.update(prefix);
            return Base64.getEncoder().encodeToString(mac.doFinal(body));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot sign with " + ALGORITHM, e);
        }
    }
}
