package dev.okr.console;

import dev.okr.objectives.overview.Choices.Choice;
import java.util.List;

/**
 * An option of a form field.
 *
 * @param value the submitted value
 * @param label the displayed text
 * @param hint an additional text; may be empty
 */
public record Option(String value, String label, String hint) {
    public static List<Option> of(List<Choice> choices) {
        return choices.stream()
                .map(choice -> new Option(choice.id(), choice.name(), ""))
                .toList();
    }
}
