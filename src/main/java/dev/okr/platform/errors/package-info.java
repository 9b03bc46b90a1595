/** Failures for callers, with stable codes and without HTTP. */
@NullMarked
package dev.okr.platform.errors;

import org.jspecify.annotations.NullMarked;
