package dev.okr.organizations.audit;

import io.quarkus.test.junit.QuarkusIntegrationTest;

/** The same tests against the packaged application. */
@QuarkusIntegrationTest
class AuditLogIT extends AuditLogTest {}
