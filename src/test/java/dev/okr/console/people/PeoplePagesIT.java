package dev.okr.console.people;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class PeoplePagesIT extends PeoplePagesTest {}
