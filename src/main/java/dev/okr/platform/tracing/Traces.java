package dev.okr.platform.tracing;

import io.opentelemetry.api.trace.Span;
import org.jspecify.annotations.Nullable;

/** The trace that the current request belongs to. */
public final class Traces {
    private Traces() {}

    /** The id of the trace; none where nothing is traced. */
    public static @Nullable String currentId() {
        var span = Span.current().getSpanContext();
        return span.isValid() ? span.getTraceId() : null;
    }
}
