package dev.okr.operations.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs PostgreSQL without root privileges, because it refuses to run as root. It uses a new user namespace or, in
 * containers that forbid namespaces, another user with permission to read root's files.
 */
final class Unprivileged {
    private static final Path THIS_PROCESS = Path.of("/proc/self");
    private static final int ROOT = 0;
    private static final int NOBODY = 65534;
    private static final List<String> NAMESPACE = List.of("unshare", "--user");

    private Unprivileged() {}

    /** The prefix for commands on these data. Empty unless the user is root. */
    static List<String> prefix(Path data) throws IOException {
        if (!Files.exists(THIS_PROCESS) || owner(THIS_PROCESS) != ROOT) {
            return List.of();
        }
        if (Files.exists(data)) {
            return owner(data) == ROOT ? NAMESPACE : as(owner(data));
        }
        return works(NAMESPACE) ? NAMESPACE : as(NOBODY);
    }

    private static List<String> as(int user) {
        return List.of(
                "setpriv",
                "--reuid=" + user,
                "--regid=" + user,
                "--clear-groups",
                "--securebits=+no_setuid_fixup",
                "--inh-caps=+dac_override",
                "--ambient-caps=+dac_override");
    }

    private static int owner(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:uid");
    }

    private static boolean works(List<String> prefix) {
        try {
            var command = new ArrayList<>(prefix);
            command.add("true");
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException notInstalled) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
