package dev.okr.operations.commands;

import java.time.Duration;
import java.util.Map;

/**
 * The configuration of a command. A command uses the configuration and the database of the service, but opens no port,
 * runs no scheduled job and writes no log. These values are system properties, because they must override environment
 * variables that the operator set for the service. Values of a Quarkus profile cannot do that.
 */
final class CommandMode {
    private static final Map<String, String> SETTINGS = Map.ofEntries(
            Map.entry("okr.serving", "false"),
            Map.entry("okr.bootstrap.file", ""),
            Map.entry("okr.demo", "false"),
            Map.entry("okr.rate-limit.requests-per-minute", "0"),
            Map.entry("quarkus.http.host-enabled", "false"),
            Map.entry("quarkus.http.domain-socket-enabled", "false"),
            Map.entry("quarkus.management.host-enabled", "false"),
            Map.entry("quarkus.scheduler.enabled", "false"),
            Map.entry("quarkus.shutdown.delay", "0s"),
            Map.entry("quarkus.oidc.tenant-enabled", "false"),
            Map.entry("quarkus.otel.sdk.disabled", "true"),
            // Schema decides whether a command may migrate.
            Map.entry("quarkus.flyway.migrate-at-start", "false"),
            Map.entry("quarkus.datasource.jdbc.min-size", "0"),
            Map.entry("quarkus.datasource.jdbc.initial-size", "0"),
            // Only the command writes to standard output.
            Map.entry("quarkus.banner.enabled", "false"),
            Map.entry("quarkus.log.console.json.enabled", "false"),
            Map.entry("quarkus.log.console.stderr", "true"),
            Map.entry("quarkus.log.level", "ERROR"),
            // A command that opened the log file of the service would rotate it. Each switch has two names. The old
            // name takes precedence.
            Map.entry("quarkus.log.file.enabled", "false"),
            Map.entry("quarkus.log.file.enable", "false"),
            Map.entry("quarkus.log.syslog.enabled", "false"),
            Map.entry("quarkus.log.syslog.enable", "false"),
            Map.entry("quarkus.log.socket.enabled", "false"),
            Map.entry("quarkus.log.socket.enable", "false"));

    private static final String DRIVER = "quarkus.datasource.jdbc.additional-jdbc-properties.";

    private static final String NEW_CONNECTION = "quarkus.datasource.jdbc.new-connection-sql";

    /** The server cancels a statement this long after the client has stopped waiting for it. */
    private static final Duration SERVER_MARGIN = Duration.ofSeconds(1);

    private CommandMode() {}

    /** Must be called before Quarkus reads its configuration. */
    static void enter(Duration maxStatement) {
        SETTINGS.forEach(System::setProperty);
        // The driver uses the first one. The socket factory of the production profile uses the second one.
        System.setProperty(DRIVER + "socketTimeout", String.valueOf(maxStatement.toSeconds()));
        System.setProperty(DRIVER + "socketFactoryArg", String.valueOf(maxStatement.toSeconds()));
        // There is no lock timeout, because a command waits for the transactions of the replicas.
        long serverMillis =
                maxStatement.isZero() ? 0 : maxStatement.plus(SERVER_MARGIN).toMillis();
        System.setProperty(NEW_CONNECTION, "SET jit = off; SET statement_timeout = " + serverMillis);
    }
}
