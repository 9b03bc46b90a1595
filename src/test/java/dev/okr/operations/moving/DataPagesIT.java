package dev.okr.operations.moving;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class DataPagesIT extends DataPagesTest {}
