package dev.okr.auth;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class ApiKeyIT extends ApiKeyTest {}
