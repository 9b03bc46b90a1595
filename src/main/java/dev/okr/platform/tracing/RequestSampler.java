package dev.okr.platform.tracing;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.opentelemetry.sdk.trace.samplers.SamplingResult;
import jakarta.inject.Singleton;
import java.util.List;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * Follows the caller's decision whether to trace a request. Without a decision, it traces a share of the requests.
 *
 * <p>Traces start only with requests. Background work, such as polling the queue, would create a trace for each
 * statement. The sampler never traces the redirect after a sign-in, because its query contains a code for a session.
 * Quarkus' own setting for that does not match paths with a query.
 */
@Singleton
class RequestSampler implements Sampler {
    private static final AttributeKey<String> PATH = AttributeKey.stringKey("url.path");
    private static final String SIGN_IN = "/signed-in";

    private final Sampler requests;

    RequestSampler(@ConfigProperty(name = "quarkus.otel.traces.sampler.arg", defaultValue = "1") double share) {
        this.requests = Sampler.parentBased(Sampler.traceIdRatioBased(share));
    }

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
