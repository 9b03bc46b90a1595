package dev.okr.events;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class EventListIT extends EventListTest {}
