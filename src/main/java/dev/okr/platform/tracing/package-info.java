/** Traces by OpenTelemetry, which are off unless there is somewhere to send them. */
@NullMarked
package dev.okr.platform.tracing;

import org.jspecify.annotations.NullMarked;
