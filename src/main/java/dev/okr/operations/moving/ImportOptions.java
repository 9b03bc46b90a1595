package dev.okr.operations.moving;

import java.util.Arrays;

/**
 * How to import a file.
 *
 * @param notifies whether webhooks receive the events
 * @param byCommand whether a command runs the import, instead of a replica
 */
record ImportOptions(boolean isDryRun, boolean notifies, boolean byCommand, boolean isCompressed) {
    /** The bytes that identify a request with these options. Its idempotency key stands for no other request. */
    byte[] with(byte[] digest) {
        var request = Arrays.copyOf(digest, digest.length + 1);
        request[digest.length] = (byte) ((isDryRun ? 1 : 0) + (notifies ? 2 : 0) + (isCompressed ? 4 : 0));
        return request;
    }
}
