package dev.okr.operations.commands;

import dev.okr.webhooks.SigningSecret;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Forwards events to a receiver without a public address. Needs no database. */
@Command(
        name = "listen",
        description = {
            "Forwards new events to a local receiver as signed webhooks, until it is stopped.",
            "It reads them over the API, so the receiver needs no public address. Needs no database."
        })
final class ListenCommand implements Callable<Integer> {
    @Spec
    CommandSpec spec;

    @Option(
            names = "--forward-to",
            required = true,
            paramLabel = "URL",
            description = "The receiver, such as http://localhost:3000/hook.")
    URI forwardTo;

    @Option(
            names = "--key",
            paramLabel = "TOKEN",
            defaultValue = "${env:OKR_API_KEY}",
            description = "An API key of an admin with the scope webhooks. The default is OKR_API_KEY.")
    @Nullable
    String key;

    @Option(
            names = "--service",
            paramLabel = "URL",
            defaultValue = "${env:OKR_SERVICE:-http://localhost:8080}",
            description = "The service. The default is OKR_SERVICE or http://localhost:8080.")
    URI service;

    @Option(
            names = "--events",
            split = ",",
            paramLabel = "TYPE",
            description = "Forwards only these types, such as objective.created. The default is all.")
    Set<String> events = Set.of();

    @Option(
            names = "--secret",
            paramLabel = "SECRET",
            description = "Signs the events. The default is a new secret, which is printed.")
    @Nullable
    String secret;

    @Override
    public Integer call() throws Exception {
        if (key == null || key.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "Missing required option: '--key=TOKEN'");
        }
        var out = spec.commandLine().getOut();
        var signing = secret(spec, secret);
        requireHttp(spec, "--forward-to", forwardTo);
        requireHttp(spec, "--service", service);
        new ListenState(forwardTo.toString(), signing.text()).write(ListenState.file());
        out.println("Forwarding events of " + service + " to " + forwardTo + ".");
        out.println("Signing secret: " + signing.text());
        out.flush();
        var receiver = new LocalReceiver(forwardTo, signing, out);
        new EventForwarder(new ServiceClient(service, key), receiver, events, out)
                .run(() -> Thread.currentThread().isInterrupted());
        return ExitCode.OK;
    }

    static SigningSecret secret(CommandSpec spec, @Nullable String text) {
        if (text == null) {
            return SigningSecret.generate();
        }
        SigningSecret.check(text).ifPresent(error -> {
            throw new ParameterException(spec.commandLine(), "Option --secret: " + error.detail());
        });
        return SigningSecret.of(text);
    }

    static void requireHttp(CommandSpec spec, String option, URI url) {
        var scheme = url.getScheme();
        if ((!"http".equals(scheme) && !"https".equals(scheme)) || url.getHost() == null) {
            throw new ParameterException(spec.commandLine(), "Option " + option + " must be an http or https URL");
        }
    }
}
