package dev.okr.http;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class CompressionIT extends CompressionTest {}
