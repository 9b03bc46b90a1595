/** Limits on requests per API key, on requests without a valid key, and on concurrent requests. */
@NullMarked
package dev.okr.access.limits;

import org.jspecify.annotations.NullMarked;
