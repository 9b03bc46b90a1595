package dev.okr.objectives.mcp;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class McpToolsIT extends McpToolsTest {}
