package dev.okr.console.overview;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class CycleListPagesIT extends CycleListPagesTest {}
