package dev.okr.http;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class PagingIT extends PagingTest {}
