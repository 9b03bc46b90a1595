package dev.okr.objectives.overview;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class HistoryIT extends HistoryTest {}
