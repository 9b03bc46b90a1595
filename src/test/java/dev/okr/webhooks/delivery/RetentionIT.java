package dev.okr.webhooks.delivery;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class RetentionIT extends RetentionTest {}
