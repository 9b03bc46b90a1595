package dev.okr.client;

import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import jakarta.ws.rs.ProcessingException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * Repeats calls after connection failures, 429, 503 and {@code idempotency_in_flight}. It waits as long as Retry-After
 * says, but at most a minute. A repeated POST has the same idempotency key, so it acts once. A repeated PATCH gives the
 * same result, and a repeated DELETE a 404.
 */
@Retried
@Interceptor
@Priority(Interceptor.Priority.LIBRARY_BEFORE)
public class Retries {
    private static final Duration MAX_PAUSE = Duration.ofMinutes(1);
    private static final long FIRST_PAUSE_MILLIS = 500;

    private final int maxRetries;

    Retries(@ConfigProperty(name = "okr.max-retries", defaultValue = "4") int maxRetries) {
        this.maxRetries = maxRetries;
    }

    @AroundInvoke
    Object retry(InvocationContext call) throws Exception {
        // The method without an idempotency key calls the one with it. Only that one is repeated, with the same key.
        if (call.getMethod().isDefault()) {
            return call.proceed();
        }
        for (int retries = 0; ; retries++) {
            Duration pause = pause(retries);
            try {
                return call.proceed();
            } catch (OkrException failure) {
                if (retries >= maxRetries || !failure.isTemporary()) {
                    throw failure;
                }
                if (failure.retryAfter().compareTo(pause) > 0) {
                    pause = failure.retryAfter();
                }
            } catch (ProcessingException failure) {
                if (retries >= maxRetries) {
                    throw failure;
                }
            }
            Thread.sleep(pause.compareTo(MAX_PAUSE) > 0 ? MAX_PAUSE.toMillis() : pause.toMillis());
        }
    }

    private static Duration pause(int retries) {
        long limit = FIRST_PAUSE_MILLIS << Math.min(retries, 7);
        return Duration.ofMillis(ThreadLocalRandom.current().nextLong(limit));
    }
}
