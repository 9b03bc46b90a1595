package dev.okr.console.data;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class DataPagesIT extends DataPagesTest {}
