package dev.okr;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class EveryOperationIT extends EveryOperationTest {}
