package dev.okr;

import io.quarkus.test.junit.QuarkusIntegrationTest;
import org.junit.jupiter.api.Tag;

/** The same tests against the packaged application. */
@Tag("repeats")
@QuarkusIntegrationTest
class ConcurrencyIT extends ConcurrencyTest {}
