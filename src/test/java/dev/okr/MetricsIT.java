package dev.okr;

import io.quarkus.test.junit.QuarkusIntegrationTest;
import org.junit.jupiter.api.Tag;

@Tag("repeats")
@QuarkusIntegrationTest
class MetricsIT extends MetricsTest {}
