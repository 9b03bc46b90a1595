package dev.okr.platform.idempotency;

import jakarta.enterprise.util.Nonbinding;
import jakarta.interceptor.InterceptorBinding;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;

/**
 * Runs the method as {@link dev.okr.platform.transactions.RetriedTransaction} does and, when the request has an {@code Idempotency-Key},
 * at most once: its response is kept in the same transaction, and another request with the key is answered with it
 * (contract, section 5). The method answers a {@code RestResponse}; every POST has such a method.
 */
@InterceptorBinding
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Idempotent {
    /** How long a response is there to be repeated. */
    Duration KEPT = Duration.ofHours(24);

    /** Whether the response bears a secret, and so is kept encrypted. */
    @Nonbinding
    boolean secret() default false;
}
