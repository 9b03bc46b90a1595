package dev.okr.platform.http;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares the rights that a resource class requires. A resource class below {@code /v1} without this annotation fails
 * the build. Classes whose paths have the same first segment below {@code /v1} declare the same rights.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface Requires {
    /** The right to call GET, HEAD and OPTIONS. */
    Right toRead();

    /** The right to call all other methods. */
    Right toWrite();
}
