package dev.okr.http;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class RequestMetersIT extends RequestMetersTest {}
