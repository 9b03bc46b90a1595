package dev.okr.organizations.audit;

import io.quarkus.test.junit.QuarkusIntegrationTest;

/** Runs the same tests against the packaged application. */
@QuarkusIntegrationTest
class AuditLogIT extends AuditLogTest {}
