package dev.okr.console.cycles;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class CyclePagesIT extends CyclePagesTest {}
