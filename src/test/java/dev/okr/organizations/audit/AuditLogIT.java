package dev.okr.organizations.audit;

import io.quarkus.test.junit.QuarkusIntegrationTest;
import org.junit.jupiter.api.Tag;

/** Runs the same tests against the packaged application. */
@Tag("repeats")
@QuarkusIntegrationTest
class AuditLogIT extends AuditLogTest {}
