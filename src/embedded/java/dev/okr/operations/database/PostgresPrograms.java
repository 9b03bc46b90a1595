package dev.okr.operations.database;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.jboss.logging.Logger;
import org.tukaani.xz.XZInputStream;

/**
 * The programs of PostgreSQL. They are in an archive on the class path, which is unpacked once per user and version.
 */
record PostgresPrograms(Path home, List<String> prefix) {
    private static final Logger LOG = Logger.getLogger(PostgresPrograms.class);
    private static final int DIGITS_OF_HASH = 16;
    private static final int OWNER_MAY_EXECUTE = 0100;

    record Result(boolean succeeded, String output) {}

    static PostgresPrograms installed(DataFolder folder) throws IOException {
        var archive = archive();
        var home = cache(folder).resolve("postgresql-" + hash(archive));
        if (!Files.isDirectory(home)) {
            LOG.infof("Unpacking PostgreSQL to %s", home);
            unpack(archive, home);
        }
        return new PostgresPrograms(home, Unprivileged.prefix(folder.data()));
    }

    /** @throws StartRefused if there is no embedded PostgreSQL for this platform */
    static void requireAvailable() throws StartRefused {
        archive();
    }

    /** Runs a program and waits until it ends. */
    Result run(String program, List<String> arguments) throws IOException {
        var command = new ArrayList<>(prefix);
        command.add(home.resolve("bin").resolve(program).toString());
        command.addAll(arguments);
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        // Environment variables for another PostgreSQL must not apply here, and PostgreSQL may not know the user's
        // locale.
        builder.environment().keySet().removeIf(name -> name.startsWith("PG") || name.startsWith("LC_"));
        builder.environment().put("LC_ALL", "C");
        try {
            var process = builder.start();
            process.getOutputStream().close();
            var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Result(process.waitFor() == 0, output.strip());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("The start was interrupted while " + program + " was running.", e);
        }
    }

    private static String archive() throws StartRefused {
        var system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        var architecture = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        var archive = "/postgres-%s-%s.txz"
                .formatted(
                        system.startsWith("mac") ? "darwin" : system,
                        architecture.equals("aarch64") ? "arm_64" : "x86_64");
        if (PostgresPrograms.class.getResource(archive) == null) {
            throw new StartRefused(
                    "There is no embedded PostgreSQL for %s on %s. Set QUARKUS_DATASOURCE_JDBC_URL to use another one."
                            .formatted(system, architecture));
        }
        return archive;
    }

    /** The cache folder of the user. Programs are run from it, so other users must not be able to write to it. */
    private static Path cache(DataFolder folder) {
        var configured = System.getenv("XDG_CACHE_HOME");
        var cache = configured == null || configured.isBlank()
                ? Path.of(System.getProperty("user.home"), ".cache")
                : Path.of(configured);
        try {
            if (cache.isAbsolute()) {
                return Files.createDirectories(cache.resolve("okr-service"));
            }
        } catch (IOException e) {
            LOG.debugf(e, "The cache folder %s cannot be used", cache);
        }
        return folder.path();
    }

    private static String hash(String archive) throws IOException {
        try (var input = new DigestInputStream(open(archive), MessageDigest.getInstance("SHA-256"))) {
            input.transferTo(OutputStream.nullOutputStream());
            return HexFormat.of().formatHex(input.getMessageDigest().digest()).substring(0, DIGITS_OF_HASH);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256.", e);
        }
    }

    /** Unpacks to a temporary folder and renames it, so that other processes see all programs or none. */
    private static void unpack(String archive, Path home) throws IOException {
        var draft = Files.createTempDirectory(home.getParent(), "unpacking-");
        try (var tar = new TarArchiveInputStream(new XZInputStream(new BufferedInputStream(open(archive))))) {
            for (var entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                unpack(tar, entry, draft);
            }
        }
        try {
            Files.move(draft, home);
        } catch (IOException e) {
            if (!Files.isDirectory(home)) {
                throw e;
            }
            DataFolder.deleteAll(draft);
        }
    }

    private static void unpack(TarArchiveInputStream tar, TarArchiveEntry entry, Path draft) throws IOException {
        var target = draft.resolve(entry.getName()).normalize();
        if (!target.startsWith(draft)) {
            throw new IOException("An entry of the archive is outside its folder: " + entry.getName());
        }
        if (entry.isDirectory()) {
            Files.createDirectories(target);
        } else if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
        } else {
            Files.createDirectories(target.getParent());
            Files.copy(tar, target);
            if ((entry.getMode() & OWNER_MAY_EXECUTE) != 0) {
                var permissions = new HashSet<>(Files.getPosixFilePermissions(target));
                permissions.addAll(Set.of(
                        PosixFilePermission.OWNER_EXECUTE,
                        PosixFilePermission.GROUP_EXECUTE,
                        PosixFilePermission.OTHERS_EXECUTE));
                Files.setPosixFilePermissions(target, permissions);
            }
        }
    }

    private static InputStream open(String archive) throws IOException {
        var input = PostgresPrograms.class.getResourceAsStream(archive);
        if (input == null) {
            throw new IOException("The class path does not contain " + archive + '.');
        }
        return input;
    }
}
