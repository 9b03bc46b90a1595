package dev.okr.objectives.teams;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class TeamIT extends TeamTest {}
