package dev.okr.http;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class ConditionalIT extends ConditionalTest {}
