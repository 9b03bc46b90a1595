package dev.okr.access;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class CheckOrderIT extends CheckOrderTest {}
