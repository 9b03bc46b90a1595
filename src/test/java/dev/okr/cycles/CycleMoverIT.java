package dev.okr.cycles;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class CycleMoverIT extends CycleMoverTest {}
