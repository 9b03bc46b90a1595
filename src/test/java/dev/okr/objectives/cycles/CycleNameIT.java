package dev.okr.objectives.cycles;

import io.quarkus.test.junit.QuarkusIntegrationTest;
import org.junit.jupiter.api.Tag;

@Tag("repeats")
@QuarkusIntegrationTest
class CycleNameIT extends CycleNameTest {}
