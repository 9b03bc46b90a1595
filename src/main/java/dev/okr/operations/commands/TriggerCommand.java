package dev.okr.operations.commands;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.time.Timestamps;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Sends an example of an event to the receiver of {@link ListenCommand}. Nothing changes in the service. */
@Command(
        name = "trigger",
        description = {
            "Sends an example of an event to the receiver of a running 'okr listen', as a signed webhook.",
            "The example is from the OpenAPI document of the service. Nothing changes in the service."
        },
        exitCodeList = {"0:the receiver accepted it", "1:it did not; the reason is on standard error", "2:wrong usage"})
final class TriggerCommand implements Callable<Integer> {
    @Spec
    CommandSpec spec;

    @Parameters(paramLabel = "TYPE", description = "The type of the event, such as objective.created.")
    String type;

    @Option(
            names = "--forward-to",
            paramLabel = "URL",
            description = "The receiver, if not that of the running 'okr listen'.")
    @Nullable
    URI forwardTo;

    @Option(names = "--secret", paramLabel = "SECRET", description = "Signs the event for --forward-to.")
    @Nullable
    String secret;

    @Option(
            names = "--service",
            paramLabel = "URL",
            defaultValue = "${env:OKR_SERVICE:-http://localhost:8080}",
            description = "The service. The default is OKR_SERVICE or http://localhost:8080.")
    URI service;

    @Override
    public Integer call() throws Exception {
        ListenCommand.requireHttp(spec, "--service", service);
        var receiver = receiver();
        var event = example();
        var id = IdKind.EVENT.format(UuidV7.at(Instant.now()));
        event.put("id", id).put("timestamp", Timestamps.format(Instant.now()));
        boolean isAccepted = receiver.send(id, type, event.toString().getBytes(StandardCharsets.UTF_8));
        return isAccepted ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private LocalReceiver receiver() throws IOException {
        var out = spec.commandLine().getOut();
        if (forwardTo != null) {
            ListenCommand.requireHttp(spec, "--forward-to", forwardTo);
            if (secret == null) {
                throw new ParameterException(spec.commandLine(), "Option --forward-to needs the option --secret");
            }
            return new LocalReceiver(forwardTo, ListenCommand.secret(spec, secret), out);
        }
        var listening = ListenState.read(ListenState.file())
                .orElseThrow(
                        () -> new CommandFailure("Start 'okr listen' first, or name a receiver with --forward-to."));
        return new LocalReceiver(listening.url(), ListenCommand.secret(spec, listening.secret()), out);
    }

    private ObjectNode example() throws IOException {
        var document = new ServiceClient(service, null).get("/q/openapi?format=json");
        if (!document.isOk()) {
            throw new CommandFailure(document.reason());
        }
        var webhooks = document.body().path("webhooks");
        if (!webhooks.has(type)) {
            var types = new ArrayList<String>();
            webhooks.fieldNames().forEachRemaining(types::add);
            throw new CommandFailure("There is no event " + type + ". The types are: " + String.join(", ", types));
        }
        var content = webhooks.path(type)
                .path("post")
                .path("requestBody")
                .path("content")
                .path("application/json");
        JsonNode example = content.has("example")
                ? content.path("example")
                : content.path("examples")
                        .path(content.path("examples").fieldNames().next())
                        .path("value");
        return ((ObjectNode) example).deepCopy();
    }
}
