package dev.okr.console.objectives;

import dev.okr.console.Option;
import io.quarkus.qute.TemplateExtension;
import java.util.List;

/** The values of key results in forms. */
@TemplateExtension(namespace = "figures")
public final class Figures {
    private Figures() {}

    /** The values of a key result that is done or not done. Templates use the namespace {@code figures:}. */
    public static List<Option> doneOrNot() {
        return List.of(new Option("0", "Not done", ""), new Option("1", "Done", ""));
    }
}
