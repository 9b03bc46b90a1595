package dev.okr.console.keys;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class ApiKeyPagesIT extends ApiKeyPagesTest {}
