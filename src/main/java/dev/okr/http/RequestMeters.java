package dev.okr.http;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Measures requests by operation, however they are refused. The framework names a request by its template once it has
 * found the operation; one that ends before that, by a missing key or a connection that breaks, would be named by its
 * path, of which there are as many as anybody cares to send.
 */
@Singleton
final class RequestMeters implements MeterFilter {
    private static final String REQUESTS = "http.server.requests";
    private static final String URI = "uri";
    private static final String METHOD = "method";
    private static final String OTHER = "OTHER";

    private static final Set<String> METHODS = Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");

    /** What the framework says where there is no template. */
    private static final Set<String> CONSTANTS =
            Set.of("root", "NOT_FOUND", "REDIRECTION", "UNKNOWN", "/cors-preflight");

    private static final double[] BUCKETS_NANOS = Stream.of(
                    Duration.ofNanos(2_500_000),
                    Duration.ofMillis(5),
                    Duration.ofMillis(10),
                    Duration.ofMillis(25),
                    Duration.ofMillis(50),
                    Duration.ofMillis(100),
                    Duration.ofMillis(250),
                    Duration.ofMillis(500),
                    Duration.ofSeconds(1),
                    Duration.ofMillis(2_500),
                    Duration.ofSeconds(5))
            .mapToDouble(Duration::toNanos)
            .toArray();

    private final Operations operations = new Operations();

    /** Asked only about tags that no request before had: what comes of them is remembered by the registry. */
    @Override
    public Meter.Id map(Meter.Id id) {
        if (!id.getName().equals(REQUESTS)) {
            return id;
        }
        var tags = new ArrayList<Tag>();
        for (var tag : id.getTagsAsIterable()) {
            tags.add(
                    switch (tag.getKey()) {
                        case URI -> Tag.of(URI, operation(tag.getValue()));
                        case METHOD -> METHODS.contains(tag.getValue()) ? tag : Tag.of(METHOD, OTHER);
                        default -> tag;
                    });
        }
        return id.replaceTags(tags);
    }

    @Override
    public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
        return id.getName().equals(REQUESTS)
                ? DistributionStatisticConfig.builder()
                        .serviceLevelObjectives(BUCKETS_NANOS)
                        .build()
                        .merge(config)
                : config;
    }

    private String operation(String uri) {
        return CONSTANTS.contains(uri) ? uri : operations.template(uri).orElse(OTHER);
    }
}
