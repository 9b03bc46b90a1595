package dev.okr.platform.transactions;

import jakarta.interceptor.InterceptorBinding;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs the method in a new transaction. If a concurrent transaction causes a conflict, it runs the method again in
 * another transaction. So the method must have no effects outside the database.
 */
@InterceptorBinding
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface RetriedTransaction {}
