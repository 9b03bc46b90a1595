package dev.okr.console.objectives;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class AlignmentPagesIT extends AlignmentPagesTest {}
