package dev.okr.operations.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How root runs PostgreSQL, which refuses to run as root: in a user namespace of its own, where root is nobody, or,
 * in containers that forbid namespaces, as another user who may read root's files.
 */
final class Unprivileged {
    private static final Path THIS_PROCESS = Path.of("/proc/self");
    private static final int ROOT = 0;
    private static final int NOBODY = 65534;
    private static final List<String> NAMESPACE = List.of("unshare", "--user");

    private Unprivileged() {}

    /** What to put before a command on these data; nothing for every user but root. */
    static List<String> prefix(Path data) throws IOException {
        if (!Files.exists(THIS_PROCESS) || owner(THIS_PROCESS) != ROOT) {
            return List.of();
        }
        if (Files.exists(data)) {
            // The server must own its data.
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
