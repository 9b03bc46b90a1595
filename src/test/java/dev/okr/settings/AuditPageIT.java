package dev.okr.settings;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class AuditPageIT extends AuditPageTest {}
