package dev.okr.objectives.mcp;

import dev.okr.access.ApiKeyCheck;
import io.quarkiverse.mcp.server.FilterContext;
import io.quarkiverse.mcp.server.ToolFilter;
import io.quarkiverse.mcp.server.ToolManager;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** All tools. A client sees only those that its key may use. */
@ApplicationScoped
class Toolbox implements ToolFilter {
    private final Map<String, Tool> tools = new LinkedHashMap<>();
    private final CurrentVertxRequest http;

    Toolbox(ReadingTools reading, WritingTools writing, CurrentVertxRequest http) {
        Stream.concat(reading.tools().stream(), writing.tools().stream()).forEach(tool -> tools.put(tool.name(), tool));
        this.http = http;
    }

    Optional<Tool> find(String name) {
        return Optional.ofNullable(tools.get(name));
    }

    /** Registers no output schemas, because the schemas of the API are too long for a model. */
    void register(@Observes StartupEvent event, ToolManager manager, ToolCalls calls) {
        tools.values()
                .forEach(tool -> manager.newTool(tool.name())
                        .setTitle(tool.title())
                        .setDescription(tool.description())
                        .setAnnotations(tool.hints())
                        .setInputSchema(tool.input().json())
                        .setAsyncHandler(ignored -> calls.run(tool))
                        .register());
    }

    /** Must not throw, because the extension ignores a filter that throws. */
    @Override
    public boolean test(ToolManager.ToolInfo info, FilterContext filter) {
        var context = http.getCurrent();
        return context != null
                && find(info.name())
                        .filter(tool -> ApiKeyCheck.may(context, tool.right()))
                        .isPresent();
    }
}
