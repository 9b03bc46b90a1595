package dev.okr.objectives.mcp;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.LowerCamelCaseStrategy;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import io.quarkiverse.mcp.server.Content;
import io.quarkiverse.mcp.server.TextContent;
import io.quarkiverse.mcp.server.ToolResponse;
import io.quarkus.jackson.ObjectMapperCustomizer;
import io.quarkus.runtime.annotations.RegisterForReflection;
import jakarta.inject.Singleton;

/** Writes the extension's responses with the names of the protocol. The names of the API have underscores. */
@Singleton
@RegisterForReflection(targets = {ToolResponse.class, TextContent.class, Content.Annotations.class})
class ToolResponseFormat implements ObjectMapperCustomizer {

    /** Runs after the customiser of the extension, whose mix-in has no names. */
    @Override
    public int priority() {
        return MINIMUM_PRIORITY;
    }

    @Override
    public void customize(ObjectMapper mapper) {
        mapper.addMixIn(ToolResponse.class, CamelCase.class);
    }

    @RegisterForReflection
    @JsonNaming(LowerCamelCaseStrategy.class)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private interface CamelCase {}
}
