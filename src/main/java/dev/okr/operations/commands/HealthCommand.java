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

/** Checks the service on this machine, for containers without a shell and curl. */
@Command(
        name = "health",
        description = "Checks whether the service on this machine is alive or ready. Needs no database.",
        exitCodeList = {"0:yes", "1:no; the reason is on standard error", "2:wrong usage"})
final class HealthCommand implements Callable<Integer> {
    private static final Duration MAX_WAIT = Duration.ofSeconds(5);
    private static final int OK = 200;

    @Spec
    CommandSpec spec;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "${env:QUARKUS_HTTP_PORT:-8080}",
            description = "The port of the service. The default is QUARKUS_HTTP_PORT or 8080.")
    int port;

    @Option(names = "--ready", description = "Also checks the database and whether the service is ready.")
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
