package dev.okr.objectives.overview;

import io.quarkus.test.junit.QuarkusIntegrationTest;
import org.junit.jupiter.api.Tag;

@Tag("repeats")
@QuarkusIntegrationTest
class CycleSummaryIT extends CycleSummaryTest {}
