package dev.okr.deliveries;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class DeliveryIT extends DeliveryTest {}
