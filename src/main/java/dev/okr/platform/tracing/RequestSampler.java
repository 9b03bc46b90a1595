package dev.okr.platform.tracing;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.opentelemetry.sdk.trace.samplers.SamplingResult;
import java.util.List;

/**
 * Begins traces with requests alone: what the service does by itself, such as looking at its queue every second, would
 * be a trace of one statement each time. And never traces people's way back from the sign-in, whose query is worth a
 * session to whoever reads it; Quarkus' own setting for that does not know paths with a query.
 */
record RequestSampler(Sampler requests) implements Sampler {
    private static final AttributeKey<String> PATH = AttributeKey.stringKey("url.path");
    private static final String SIGN_IN = "/signed-in";

    @Override
    public SamplingResult shouldSample(
            Context parent, String traceId, String name, SpanKind kind, Attributes attributes, List<LinkData> links) {
        var path = attributes.get(PATH);
        boolean begins = !Span.fromContext(parent).getSpanContext().isValid();
        return (begins && kind != SpanKind.SERVER) || (path != null && path.contains(SIGN_IN))
                ? SamplingResult.drop()
                : requests.shouldSample(parent, traceId, name, kind, attributes, links);
    }

    @Override
    public String getDescription() {
        return "Requests{" + requests.getDescription() + '}';
    }
}
