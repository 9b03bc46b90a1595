package dev.okr.access.limits;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares that the operations of a resource class take longer than other large requests. They have a limit of their own
 * ({@link LargeRequests#awaitLongRunning}), and wait for it before their bodies are parsed. They take turns as slow
 * requests.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface LongRunning {}
