package dev.okr.console;

import dev.okr.access.Scope;
import dev.okr.platform.http.EnumNames;
import io.quarkus.qute.TemplateExtension;
import java.util.Arrays;
import java.util.List;

/** The options in the forms for API keys. Templates use the namespace {@code apikeys:}. */
@TemplateExtension(namespace = "apikeys")
public final class ApiKeyOptions {
    private ApiKeyOptions() {}

    public static List<Option> scopes() {
        return Arrays.stream(Scope.values())
                .map(scope -> new Option(EnumNames.format(scope), EnumNames.format(scope), hint(scope)))
                .toList();
    }

    public static List<Option> expiries() {
        return Arrays.stream(ApiKeyExpiry.values())
                .map(each -> new Option(EnumNames.format(each), each.label(), ""))
                .toList();
    }

    public static List<Option> overlaps() {
        return Arrays.stream(ApiKeyOverlap.values())
                .map(each -> new Option(EnumNames.format(each), each.label(), ""))
                .toList();
    }

    private static String hint(Scope scope) {
        return switch (scope) {
            case READ -> "Read everything except webhooks and events";
            case WRITE -> "Create, change and delete everything except webhooks";
            case WEBHOOKS -> "Manage webhooks, and read events";
        };
    }
}
