package dev.okr.objectives.explanation;

import io.quarkus.test.junit.QuarkusIntegrationTest;
import org.junit.jupiter.api.Tag;

@Tag("repeats")
@QuarkusIntegrationTest
class ExplanationIT extends ExplanationTest {}
