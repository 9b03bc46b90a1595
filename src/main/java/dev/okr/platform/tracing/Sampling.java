package dev.okr.platform.tracing;

import io.opentelemetry.sdk.trace.samplers.Sampler;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** Traces the requests that their callers trace, and a share of the requests without such a decision. */
@Singleton
class Sampling {
    @Produces
    @Singleton
    Sampler sampler(@ConfigProperty(name = "quarkus.otel.traces.sampler.arg", defaultValue = "1") double share) {
        return new RequestSampler(Sampler.parentBased(Sampler.traceIdRatioBased(share)));
    }
}
