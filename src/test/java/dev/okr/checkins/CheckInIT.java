package dev.okr.checkins;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class CheckInIT extends CheckInTest {}
