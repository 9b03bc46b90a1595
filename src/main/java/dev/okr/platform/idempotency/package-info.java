/** Idempotency keys: a repeated POST gets the stored response. */
@NullMarked
package dev.okr.platform.idempotency;

import org.jspecify.annotations.NullMarked;
