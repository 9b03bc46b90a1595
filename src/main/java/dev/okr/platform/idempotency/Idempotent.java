package dev.okr.platform.idempotency;

import jakarta.enterprise.util.Nonbinding;
import jakarta.interceptor.InterceptorBinding;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;

/**
 * Runs the method in a {@link dev.okr.platform.transactions.RetriedTransaction}. If the request has an {@code
 * Idempotency-Key}, the same transaction stores the response. A repeated request with the same key gets the stored
 * response. The method returns a {@code RestResponse}.
 */
@InterceptorBinding
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Idempotent {
    /** How long a response is stored. */
    Duration RETENTION = Duration.ofHours(24);

    /** Whether the response contains a secret and is stored encrypted. */
    @Nonbinding
    boolean secret() default false;
}
