package dev.okr.bench;

import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * One subscriber, which records the first arrival of each event. The changes of the benchmark are numbered, and each
 * event contains the number. Only the receiver's thread writes it.
 */
final class Endpoint {
    private static final int INITIAL_NUMBERS = 65_536;

    final int port;
    final boolean answers;

    private volatile long received;
    private volatile long repeated;
    private volatile long[] arrivedMicros = new long[INITIAL_NUMBERS];
    private volatile long[] happenedMicros = new long[INITIAL_NUMBERS];
    private volatile Sample sample;

    Endpoint(int port, boolean answers) {
        this.port = port;
        this.answers = answers;
    }

    /** A complete request, for checking its signature. */
    record Sample(String id, String timestamp, String signature, byte[] body) {}

    String url() {
        return "http://127.0.0.1:" + port + "/hook";
    }

    void arrived(int number, long atMicros, long eventMicros) {
        if (number >= arrivedMicros.length) {
            int length = Math.max(number + 1, arrivedMicros.length * 2);
            arrivedMicros = Arrays.copyOf(arrivedMicros, length);
            happenedMicros = Arrays.copyOf(happenedMicros, length);
        }
        if (arrivedMicros[number] == 0) {
            happenedMicros[number] = eventMicros;
            arrivedMicros[number] = atMicros;
            received++;
        } else {
            repeated++;
        }
    }

    boolean wantsSample() {
        return sample == null;
    }

    void keep(Sample request) {
        sample = request;
    }

    /** The number of different events that have arrived. */
    long received() {
        return received;
    }

    /** The number of repeated requests. */
    long repeated() {
        return repeated;
    }

    /** When a change arrived. 0 if it has not. */
    long arrivedMicros(int number) {
        // Reading the counter first makes the contents of the arrays visible.
        return received > 0 && number < arrivedMicros.length ? arrivedMicros[number] : 0;
    }

    /** When the event happened, according to its id. */
    long happenedMicros(int number) {
        return happenedMicros[number];
    }

    /** Whether the first request was signed with this secret. */
    boolean isSignedWith(String secret) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            var key = Base64.getDecoder().decode(secret.substring("whsec_".length()));
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            mac.update((sample.id() + '.' + sample.timestamp() + '.').getBytes());
            var expected = "v1," + Base64.getEncoder().encodeToString(mac.doFinal(sample.body()));
            return expected.equals(sample.signature());
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException(e);
        }
    }
}
