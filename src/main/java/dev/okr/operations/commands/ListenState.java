package dev.okr.operations.commands;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/**
 * The receiver of a running {@link ListenCommand}, in a file of the user. {@link TriggerCommand} sends to it.
 *
 * @param secret signs the events; only the user can read the file
 */
record ListenState(String forwardTo, String secret) {
    private static final String FORWARD_TO = "forward_to";
    private static final String SECRET = "secret";

    static Path file() {
        var home = System.getenv("HOME");
        return Path.of(home == null || home.isEmpty() ? System.getProperty("user.home") : home, ".okr", "listen.json");
    }

    void write(Path file) throws IOException {
        Files.createDirectories(file.getParent());
        Files.deleteIfExists(file);
        if (file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        Files.writeString(
                file,
                ServiceClient.JSON
                        .createObjectNode()
                        .put(FORWARD_TO, forwardTo)
                        .put(SECRET, secret)
                        .toString());
        file.toFile().deleteOnExit();
    }

    static Optional<ListenState> read(Path file) throws IOException {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        var json = ServiceClient.JSON.readTree(Files.readString(file));
        return Optional.of(new ListenState(
                json.path(FORWARD_TO).asText(), json.path(SECRET).asText()));
    }

    URI url() {
        return URI.create(forwardTo);
    }
}
