package dev.okr.objectives.explanation;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class ExplanationIT extends ExplanationTest {}
