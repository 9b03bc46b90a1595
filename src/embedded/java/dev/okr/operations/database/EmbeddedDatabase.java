package dev.okr.operations.database;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * A running embedded PostgreSQL.
 *
 * @param encryptionKey a generated key, which is stored with the data
 */
record EmbeddedDatabase(String url, String password, String encryptionKey) {
    static final String USERNAME = "okr";

    private static final Logger LOG = Logger.getLogger(EmbeddedDatabase.class);

    /**
     * The state of this process is in system properties, because live reload and test profiles load this class again
     * with new static fields.
     */
    private static final String PORT_PROPERTY = "dev.okr.database.port:";

    private static final String TEMPORARY_FOLDER_PROPERTY = "dev.okr.database.temporary-folder";

    /**
     * Starts the database unless it runs already. If it does not start, the reason is logged and set in {@link
     * EmbeddedDatabaseFailure}.
     *
     * @param directory the folder for the data, or null for a temporary one
     */
    static synchronized Optional<EmbeddedDatabase> running(@Nullable Path directory) {
        try {
            PostgresPrograms.requireAvailable();
            var folder = directory == null ? temporaryFolder() : DataFolder.at(directory);
            var port = System.getProperty(PORT_PROPERTY + folder.path());
            if (port == null) {
                port = Integer.toString(start(folder));
                System.setProperty(PORT_PROPERTY + folder.path(), port);
                EmbeddedDatabaseFailure.clear();
            }
            var url = "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
            return Optional.of(new EmbeddedDatabase(url, folder.password(), folder.encryptionKey()));
        } catch (StartRefused e) {
            fail(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            fail("The embedded PostgreSQL cannot be started: " + e);
        }
        return Optional.empty();
    }

    /** Logs a message once, although the start is tried for each property. */
    private static void fail(String message) {
        if (!EmbeddedDatabaseFailure.message().equals(Optional.of(message))) {
            LOG.error(message);
            EmbeddedDatabaseFailure.set(message);
        }
    }

    private static DataFolder temporaryFolder() throws IOException {
        var path = System.getProperty(TEMPORARY_FOLDER_PROPERTY);
        if (path != null) {
            return DataFolder.temporaryAt(Path.of(path));
        }
        var folder = DataFolder.temporary();
        System.setProperty(TEMPORARY_FOLDER_PROPERTY, folder.path().toString());
        return folder;
    }

    private static int start(DataFolder folder) throws IOException {
        var lock = folder.lock();
        try {
            var server = new PostgresServer(folder, PostgresPrograms.installed(folder));
            int port = server.start();
            keep(lock, server.stopWithThisProcess());
            LOG.infof("Embedded PostgreSQL runs on 127.0.0.1:%d with its data in %s", port, folder.path());
            return port;
        } catch (IOException e) {
            // Without this, a second attempt of this process would find the folder locked.
            lock.close();
            throw e;
        }
    }

    /** Keeps references to the lock and the watchdog, because garbage collection would close both. */
    private static void keep(FileChannel lock, Process watchdog) {
        Thread.ofPlatform().daemon().name("embedded-postgresql").start(() -> {
            while (lock.isOpen() || watchdog.isAlive()) {
                LockSupport.park();
            }
        });
    }
}
