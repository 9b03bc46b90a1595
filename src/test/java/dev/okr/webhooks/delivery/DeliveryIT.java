package dev.okr.webhooks.delivery;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class DeliveryIT extends DeliveryTest {}
