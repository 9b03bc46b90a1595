/** OpenTelemetry traces. They are off unless an endpoint is configured. */
@NullMarked
package dev.okr.platform.tracing;

import org.jspecify.annotations.NullMarked;
