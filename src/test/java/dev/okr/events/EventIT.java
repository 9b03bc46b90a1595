package dev.okr.events;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class EventIT extends EventTest {}
