package dev.okr;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class MetricsIT extends MetricsTest {}
