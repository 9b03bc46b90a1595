package dev.okr.platform.http;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class PatchIT extends PatchTest {}
