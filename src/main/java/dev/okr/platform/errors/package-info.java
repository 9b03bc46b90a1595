/** Failures that a caller can act on, with stable codes and no knowledge of HTTP. */
@NullMarked
package dev.okr.platform.errors;

import org.jspecify.annotations.NullMarked;
