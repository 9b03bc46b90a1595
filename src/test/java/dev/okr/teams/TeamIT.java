package dev.okr.teams;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class TeamIT extends TeamTest {}
