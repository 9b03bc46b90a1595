/** Requests that may be sent again without being done again. */
@NullMarked
package dev.okr.platform.idempotency;

import org.jspecify.annotations.NullMarked;
