package dev.okr.operations.commands;

import java.time.Duration;
import java.util.Map;

/**
 * What is different when the program runs a command: it has the service's configuration, database and rules, but it
 * listens to nobody, schedules nothing and says nothing of its own. Set as system properties, which are above the
 * environment variables that the operator made for the service.
 */
final class CommandMode {
    private static final Map<String, String> SETTINGS = Map.ofEntries(
            // Whatever serves looks at this one (see application.properties).
            Map.entry("okr.serving", "false"),
            Map.entry("okr.bootstrap.file", ""),
            Map.entry("okr.demo", "false"),
            Map.entry("okr.rate-limit.requests-per-minute", "0"),
            Map.entry("quarkus.http.host-enabled", "false"),
            Map.entry("quarkus.http.domain-socket-enabled", "false"),
            Map.entry("quarkus.management.host-enabled", "false"),
            Map.entry("quarkus.scheduler.enabled", "false"),
            // Nobody has to be told that a command ends.
            Map.entry("quarkus.shutdown.delay", "0s"),
            Map.entry("quarkus.oidc.tenant-enabled", "false"),
            Map.entry("quarkus.otel.sdk.disabled", "true"),
            // Commands decide about the schema themselves (see Schema).
            Map.entry("quarkus.flyway.migrate-at-start", "false"),
            Map.entry("quarkus.datasource.jdbc.min-size", "0"),
            Map.entry("quarkus.datasource.jdbc.initial-size", "0"),
            // The output is the command's alone.
            Map.entry("quarkus.banner.enabled", "false"),
            Map.entry("quarkus.log.console.json.enabled", "false"),
            Map.entry("quarkus.log.console.stderr", "true"),
            Map.entry("quarkus.log.level", "ERROR"),
            // The service's log is the service's: a command that opens the file moves it away. Of the two names that
            // each switch has, the old one wins.
            Map.entry("quarkus.log.file.enabled", "false"),
            Map.entry("quarkus.log.file.enable", "false"),
            Map.entry("quarkus.log.syslog.enabled", "false"),
            Map.entry("quarkus.log.syslog.enable", "false"),
            Map.entry("quarkus.log.socket.enabled", "false"),
            Map.entry("quarkus.log.socket.enable", "false"));

    private static final String DRIVER = "quarkus.datasource.jdbc.additional-jdbc-properties.";

    private static final String NEW_CONNECTION = "quarkus.datasource.jdbc.new-connection-sql";

    /** Longer than an answer may take: the server ends what nobody waits for any more. */
    private static final Duration SERVER_MARGIN = Duration.ofSeconds(1);

    private CommandMode() {}

    /** Before Quarkus reads its configuration. */
    static void enter(Duration maxStatement) {
        SETTINGS.forEach(System::setProperty);
        // Which of them is in force depends on the profile.
        System.setProperty(DRIVER + "socketTimeout", String.valueOf(maxStatement.toSeconds()));
        System.setProperty(DRIVER + "socketFactoryArg", String.valueOf(maxStatement.toSeconds()));
        // No limit on locks: a command waits for what the replicas are doing.
        long serverMillis =
                maxStatement.isZero() ? 0 : maxStatement.plus(SERVER_MARGIN).toMillis();
        System.setProperty(NEW_CONNECTION, "SET jit = off; SET statement_timeout = " + serverMillis);
    }
}
