package dev.okr.console.overview;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class OverviewPagesIT extends OverviewPagesTest {}
