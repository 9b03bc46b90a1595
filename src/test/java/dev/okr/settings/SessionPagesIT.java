package dev.okr.settings;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class SessionPagesIT extends SessionPagesTest {}
