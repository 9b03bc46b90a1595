package dev.okr.console.teams;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class TeamPagesIT extends TeamPagesTest {}
