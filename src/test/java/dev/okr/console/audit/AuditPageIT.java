package dev.okr.console.audit;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class AuditPageIT extends AuditPageTest {}
