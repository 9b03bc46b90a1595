package dev.okr.objectives;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class SlowClockIT extends SlowClockTest {}
