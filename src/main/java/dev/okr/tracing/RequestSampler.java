package dev.okr.tracing;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.opentelemetry.sdk.trace.samplers.SamplingResult;
import java.util.List;

/**
 * Begins traces with requests alone. What the service does by itself, such as looking at its queue every second, would
 * be a trace of one statement each time.
 */
record RequestSampler(Sampler share) implements Sampler {
    @Override
    public SamplingResult shouldSample(
            Context parent, String traceId, String name, SpanKind kind, Attributes attributes, List<LinkData> links) {
        return kind == SpanKind.SERVER
                ? share.shouldSample(parent, traceId, name, kind, attributes, links)
                : SamplingResult.drop();
    }

    @Override
    public String getDescription() {
        return "Requests{" + share.getDescription() + '}';
    }
}
