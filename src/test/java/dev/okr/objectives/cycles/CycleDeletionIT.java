package dev.okr.objectives.cycles;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class CycleDeletionIT extends CycleDeletionTest {}
