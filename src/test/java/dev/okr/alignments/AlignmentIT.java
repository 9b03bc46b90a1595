package dev.okr.alignments;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class AlignmentIT extends AlignmentTest {}
