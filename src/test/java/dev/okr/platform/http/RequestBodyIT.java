package dev.okr.platform.http;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class RequestBodyIT extends RequestBodyTest {}
