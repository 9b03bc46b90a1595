package dev.okr.events;

import io.quarkus.test.junit.QuarkusIntegrationTest;
import org.junit.jupiter.api.Tag;

@Tag("repeats")
@QuarkusIntegrationTest
class EventListIT extends EventListTest {}
