/** Limits on requests: per API key, per address without a valid key, and at the same time. */
@NullMarked
package dev.okr.access.limits;

import org.jspecify.annotations.NullMarked;
