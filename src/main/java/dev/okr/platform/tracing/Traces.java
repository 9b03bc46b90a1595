package dev.okr.platform.tracing;

import io.opentelemetry.api.trace.Span;
import org.jspecify.annotations.Nullable;

/** The trace of the current request. */
public final class Traces {
    private Traces() {}

    /** The id of the trace. Null if the request is not traced. */
    public static @Nullable String currentId() {
        var span = Span.current().getSpanContext();
        return span.isValid() ? span.getTraceId() : null;
    }
}
