package dev.okr.webhooks.delivery;

import dev.okr.webhooks.SenderSettings;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** What the operator may set about the queue (contract, section 6; limits and retention are additions to it). */
@Singleton
class DeliverySettings {
    private static final String RETRY_SCHEDULE = "okr.webhooks.retry-schedule";
    private static final String MAX_CONCURRENCY_PER_ENDPOINT = "okr.webhooks.max-concurrency-per-endpoint";
    private static final String NOTIFICATIONS = "okr.webhooks.notifications";
    private static final String RETENTION = "okr.webhooks.retention";

    private final SenderSettings sender;
    private final List<Duration> retrySchedule;
    private final int maxConcurrencyPerEndpoint;
    private final boolean notifications;
    private final Duration retention;

    @Inject
    DeliverySettings(
            SenderSettings sender,
            @ConfigProperty(name = RETRY_SCHEDULE, defaultValue = "PT5S,PT5M,PT30M,PT2H,PT5H,PT10H,PT14H,PT20H,PT24H")
                    List<Duration> retrySchedule,
            @ConfigProperty(name = MAX_CONCURRENCY_PER_ENDPOINT, defaultValue = "8") int maxConcurrencyPerEndpoint,
            @ConfigProperty(name = NOTIFICATIONS, defaultValue = "true") boolean notifications,
            @ConfigProperty(name = RETENTION, defaultValue = "P30D") Duration retention) {
        if (retrySchedule.stream().anyMatch(Duration::isNegative)) {
            throw new ConfigurationException(RETRY_SCHEDULE + " must not have a negative delay");
        }
        if (maxConcurrencyPerEndpoint < 1) {
            throw new ConfigurationException(MAX_CONCURRENCY_PER_ENDPOINT + " must be at least 1");
        }
        if (!retention.isPositive()) {
            throw new ConfigurationException(RETENTION + " must be longer than nothing");
        }
        this.sender = sender;
        this.retrySchedule = List.copyOf(retrySchedule);
        this.maxConcurrencyPerEndpoint = maxConcurrencyPerEndpoint;
        this.notifications = notifications;
        this.retention = retention;
    }

    /** The delays between attempts. */
    List<Duration> retrySchedule() {
        return retrySchedule;
    }

    /** The time that one attempt may take. */
    Duration requestTimeout() {
        return sender.requestTimeout();
    }

    /** The most attempts that a replica makes at the same moment. */
    int maxConcurrency() {
        return sender.maxConcurrency();
    }

    /** The most attempts that a replica makes at the same moment for one webhook. */
    int maxConcurrencyPerEndpoint() {
        return maxConcurrencyPerEndpoint;
    }

    /** Whether replicas wake each other by LISTEN and NOTIFY, which poolers in transaction mode do not let through. */
    boolean notifications() {
        return notifications;
    }

    /** How long events and finished deliveries are kept. */
    Duration retention() {
        return retention;
    }
}
