package dev.okr;

import io.quarkus.test.junit.QuarkusIntegrationTest;

/** The same tests against the packaged application. */
@QuarkusIntegrationTest
class ConcurrencyIT extends ConcurrencyTest {}
