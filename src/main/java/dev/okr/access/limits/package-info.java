/** How many requests are admitted: of an API key, over all replicas, and of an address without one. */
@NullMarked
package dev.okr.access.limits;

import org.jspecify.annotations.NullMarked;
