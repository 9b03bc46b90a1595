package dev.okr.operations.demo;

import dev.okr.console.TrialSignIn;
import dev.okr.platform.encryption.SecretBox;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.Sql;
import io.agroal.api.AgroalDataSource;
import io.quarkus.arc.properties.UnlessBuildProperty;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.vertx.http.HttpServer;
import io.quarkus.vertx.http.HttpServerStart;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.ObservesAsync;
import jakarta.interceptor.Interceptor;
import java.sql.SQLException;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/**
 * Creates the demonstration organisation if {@code okr.demo} is set, and logs how to use it. Native images are for
 * production only, so they do not contain this package.
 */
@ApplicationScoped
@UnlessBuildProperty(name = "quarkus.native.enabled", stringValue = "true", enableIfMissing = true)
public class Demo {
    private static final Logger LOG = Logger.getLogger(Demo.class);

    /** Runs after the organisation file is applied, because the file may define an organisation with the same slug. */
    private static final int PRIORITY = Interceptor.Priority.LIBRARY_BEFORE + 100;

    private final boolean enabled;
    private final Optional<String> encryptionKey;
    private final AgroalDataSource database;
    private final UtcClock clock;
    private final SecretBox secretBox;
    private final HttpServer server;
    private final TrialSignIn trial;
    private volatile Optional<String> token = Optional.empty();
    private volatile boolean trialIsOpen;

    Demo(
            @ConfigProperty(name = "okr.demo", defaultValue = "false") boolean enabled,
            @ConfigProperty(name = "okr.encryption-key") Optional<String> encryptionKey,
            AgroalDataSource database,
            UtcClock clock,
            SecretBox secretBox,
            HttpServer server,
            TrialSignIn trial) {
        this.enabled = enabled;
        this.encryptionKey = encryptionKey;
        this.database = database;
        this.clock = clock;
        this.secretBox = secretBox;
        this.server = server;
        this.trial = trial;
    }

    void create(@Observes @Priority(PRIORITY) StartupEvent started) throws SQLException {
        if (!enabled) {
            return;
        }
        var demoToken = DemoKey.token(encryptionKey.orElseThrow());
        boolean admitted = Sql.transaction(database, sql -> {
            var now = clock.now();
            DemoOrganization.createOnce(sql, now, secretBox);
            return DemoKey.admit(sql, demoToken, now);
        });
        token = admitted ? Optional.of(demoToken) : Optional.empty();
        trialIsOpen = trial.open(DemoOrganization.SLUG);
    }

    void welcome(@ObservesAsync HttpServerStart started) {
        if (enabled) {
            LOG.info("Swagger UI: http://localhost:" + server.getPort() + "/q/swagger-ui");
            LOG.info("Demo API key: " + token.orElse("none, because it was revoked"));
            if (trialIsOpen) {
                LOG.infof(
                        "Console: http://localhost:%d/settings (on this computer, without a password)",
                        server.getPort());
            }
            if (LaunchMode.current() == LaunchMode.DEVELOPMENT) {
                LOG.infof(
                        "Console: http://localhost:%d/settings (sign in as %s)",
                        server.getPort(), DemoOrganization.ADMIN_EMAIL);
            }
        }
    }
}
