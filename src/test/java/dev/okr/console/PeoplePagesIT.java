package dev.okr.console;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class PeoplePagesIT extends PeoplePagesTest {}
