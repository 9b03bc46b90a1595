package dev.okr.console.week;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class WeekPagesIT extends WeekPagesTest {}
