package dev.okr.events.audit;

import io.quarkus.test.junit.QuarkusIntegrationTest;

/** The same tests against the packaged application. */
@QuarkusIntegrationTest
class AuditLogIT extends AuditLogTest {}
