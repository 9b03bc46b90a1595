package dev.okr.operations.database;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Comparator;
import java.util.Set;

/** The folder of an embedded PostgreSQL. It contains the data and the secrets that were generated. */
record DataFolder(Path path, boolean isTemporary) {
    private static final int SECRET_BYTES = 32;
    private static final int MAX_PID_BYTES = 32;
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY_FOLDER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY_FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    /** Opens or creates a permanent folder. */
    static DataFolder at(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            Files.createDirectories(path, OWNER_ONLY_FOLDER);
        }
        return new DataFolder(path.toRealPath(), false);
    }

    /** Creates a folder that is deleted when the process ends. */
    static DataFolder temporary() throws IOException {
        return temporaryAt(Files.createTempDirectory("okr-"));
    }

    static DataFolder temporaryAt(Path path) throws IOException {
        return new DataFolder(path.toRealPath(), true);
    }

    /** The data directory of PostgreSQL. */
    Path data() {
        return path.resolve("postgresql");
    }

    Path log() {
        return path.resolve("postgresql.log");
    }

    Path passwordFile() {
        return path.resolve("password");
    }

    String password() throws IOException {
        return secret(passwordFile());
    }

    String encryptionKey() throws IOException {
        return secret(path.resolve("encryption-key"));
    }

    /**
     * Locks the folder for this process. The operating system releases the lock when the process ends, even if it is
     * killed.
     */
    FileChannel lock() throws IOException {
        var channel = FileChannel.open(
                path.resolve("lock"),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                OWNER_ONLY_FILE);
        if (channel.tryLock() == null) {
            var owner = ByteBuffer.allocate(MAX_PID_BYTES);
            channel.read(owner, 0);
            channel.close();
            throw new StartRefused(
                    "The folder %s is in use by another process (pid %s). Stop it, or name another folder in OKR_EMBEDDED_DATABASE_DIRECTORY."
                            .formatted(path, StandardCharsets.US_ASCII.decode(owner.flip())));
        }
        channel.truncate(0);
        channel.write(StandardCharsets.US_ASCII.encode(
                Long.toString(ProcessHandle.current().pid())));
        return channel;
    }

    /** Reads a secret, and generates it if it does not exist. */
    private static String secret(Path file) throws IOException {
        try {
            return Files.readString(file).strip();
        } catch (NoSuchFileException e) {
            var bytes = new byte[SECRET_BYTES];
            new SecureRandom().nextBytes(bytes);
            write(file, Base64.getEncoder().encodeToString(bytes));
            return Files.readString(file).strip();
        }
    }

    /** Writes a file atomically. Other users can never read it. */
    private static void write(Path file, String text) throws IOException {
        var draft = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(draft);
        try (var channel = FileChannel.open(
                draft, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), OWNER_ONLY_FILE)) {
            channel.write(StandardCharsets.US_ASCII.encode(text));
            channel.force(true);
        }
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    }

    static void deleteAll(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (var paths = Files.walk(folder)) {
            for (var path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
