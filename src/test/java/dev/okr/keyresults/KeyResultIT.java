package dev.okr.keyresults;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class KeyResultIT extends KeyResultTest {}
