package dev.okr.webhooks.delivery;

import dev.okr.webhooks.SenderSettings;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** Configuration of the delivery queue. */
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
            throw new ConfigurationException(RETENTION + " must be positive");
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

    /** The maximum duration of one attempt. */
    Duration requestTimeout() {
        return sender.requestTimeout();
    }

    /** The maximum number of concurrent attempts of a replica. */
    int maxConcurrency() {
        return sender.maxConcurrency();
    }

    /** The maximum number of concurrent attempts of a replica for one webhook. */
    int maxConcurrencyPerEndpoint() {
        return maxConcurrencyPerEndpoint;
    }

    /** Whether replicas wake each other with LISTEN and NOTIFY, which poolers in transaction mode do not support. */
    boolean notifications() {
        return notifications;
    }

    /** The retention of events and finished deliveries. */
    Duration retention() {
        return retention;
    }
}
