package dev.okr.webhooks.delivery;

import io.quarkus.test.junit.QuarkusIntegrationTest;
import org.junit.jupiter.api.Tag;

@Tag("repeats")
@QuarkusIntegrationTest
class DeactivationIT extends DeactivationTest {}
