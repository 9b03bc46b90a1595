package dev.okr.access;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class AccessIT extends AccessTest {}
