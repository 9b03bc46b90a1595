package dev.okr.objectives.mcp;

import io.quarkus.test.junit.QuarkusIntegrationTest;
import org.junit.jupiter.api.Tag;

@QuarkusIntegrationTest
@Tag("repeats")
class EveryToolIT extends EveryToolTest {}
