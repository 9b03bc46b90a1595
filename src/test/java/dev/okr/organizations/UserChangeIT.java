package dev.okr.organizations;

import io.quarkus.test.junit.QuarkusIntegrationTest;
import org.junit.jupiter.api.Tag;

@Tag("repeats")
@QuarkusIntegrationTest
class UserChangeIT extends UserChangeTest {}
