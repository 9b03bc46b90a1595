package dev.okr.organizations;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class UserChangeIT extends UserChangeTest {}
