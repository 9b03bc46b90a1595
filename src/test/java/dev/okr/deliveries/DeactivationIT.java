package dev.okr.deliveries;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class DeactivationIT extends DeactivationTest {}
