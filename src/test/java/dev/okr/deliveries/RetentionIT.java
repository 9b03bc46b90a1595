package dev.okr.deliveries;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class RetentionIT extends RetentionTest {}
