package dev.okr.operations.commands;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Asks the service of this machine how it is, where there is no shell and no curl to ask with, as in a container. */
@Command(
        name = "health",
        description = "Asks the service on this machine whether it is alive or ready; needs no database.",
        exitCodeList = {"0:it is", "1:it is not; the reason is on standard error", "2:wrong usage"})
final class HealthCommand implements Callable<Integer> {
    private static final Duration MAX_WAIT = Duration.ofSeconds(5);
    private static final int OK = 200;

    @Spec
    CommandSpec spec;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "${env:QUARKUS_HTTP_PORT:-8080}",
            description = "Where it listens; QUARKUS_HTTP_PORT or 8080 by default.")
    int port;

    @Option(names = "--ready", description = "Whether it is ready, with its database, and not only alive.")
    boolean ready;

    @Override
    public Integer call() {
        var path = ready ? "/q/health/ready" : "/q/health/live";
        try {
            int status = status(path);
            if (status == OK) {
                return ExitCode.OK;
            }
            spec.commandLine().getErr().println(path + " answers " + status);
        } catch (IOException e) {
            spec.commandLine().getErr().println(path + " does not answer on port " + port + ": " + e);
        }
        return ExitCode.SOFTWARE;
    }

    private int status(String path) throws IOException {
        var address = InetAddress.getLoopbackAddress().getHostAddress();
        var connection = (HttpURLConnection)
                URI.create("http://" + address + ':' + port + path).toURL().openConnection();
        connection.setConnectTimeout((int) MAX_WAIT.toMillis());
        connection.setReadTimeout((int) MAX_WAIT.toMillis());
        try {
            return connection.getResponseCode();
        } finally {
            connection.disconnect();
        }
    }
}
