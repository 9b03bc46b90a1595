package dev.okr.access;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class ApiKeyIT extends ApiKeyTest {}
