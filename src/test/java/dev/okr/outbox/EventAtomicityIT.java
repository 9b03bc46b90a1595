package dev.okr.outbox;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class EventAtomicityIT extends EventAtomicityTest {}
