package dev.okr.console;

import dev.okr.organizations.EmailAddress;
import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.Text;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the fields of a form show: the values that it begins with, or those that somebody sent and what is wrong with
 * them. The readers note what is wrong and go on, so that all of it is said at once.
 */
public final class Input {
    private final Map<String, List<String>> values = new LinkedHashMap<>();
    private final Map<String, String> errors = new LinkedHashMap<>();
    private final @Nullable Form form;

    private Input(@Nullable Form form) {
        this.form = form;
    }

    /** The fields of a form that was not sent yet. */
    public static Input empty() {
        return new Input(null);
    }

    static Input of(Form form) {
        return new Input(form);
    }

    /** Lets a field begin with these values. */
    Input with(String name, String... startValues) {
        values.put(name, List.of(startValues));
        return this;
    }

    /** What a field shows. */
    public String value(String name) {
        return values(name).stream().findFirst().orElse("");
    }

    /** Whether a field shows an option as chosen. */
    public boolean has(String name, String option) {
        return values(name).contains(option);
    }

    /** What is wrong with a field; null for nothing. */
    public @Nullable String error(String name) {
        return errors.get(name);
    }

    public boolean isWrong() {
        return !errors.isEmpty();
    }

    /** A required name of one line; the empty text when there is something wrong with it. */
    String name(String field) {
        var text = Text.normalize(value(field));
        if (text.isEmpty()) {
            return refuse(field, "Enter a name.");
        }
        if (Text.isLonger(text, Text.MAX_TITLE_CODE_POINTS)) {
            return refuse(field, "A name may have at most %d characters.".formatted(Text.MAX_TITLE_CODE_POINTS));
        }
        if (!Text.isClean(text) || text.indexOf('\n') >= 0) {
            return refuse(field, "A name is one line without control characters.");
        }
        return text;
    }

    /** A required email address; the empty text when there is something wrong with it. */
    String email(String field) {
        var text = Text.normalize(value(field));
        if (text.isEmpty()) {
            return refuse(field, "Enter an email address.");
        }
        if (EmailAddress.parse(text).isEmpty() || !Text.isClean(text)) {
            return refuse(field, "That is not an email address.");
        }
        return text;
    }

    /** The chosen option; none when it is wrong. */
    <E extends Enum<E>> Optional<E> choice(String field, Class<E> options) {
        var chosen = EnumNames.parse(options, value(field));
        if (chosen.isEmpty()) {
            refuse(field, "Choose one of the options.");
        }
        return chosen;
    }

    /** The checked options, at least one. */
    <E extends Enum<E>> Set<E> choices(String field, Class<E> options) {
        var chosen = EnumSet.noneOf(options);
        for (var value : values(field)) {
            EnumNames.parse(options, value)
                    .ifPresentOrElse(chosen::add, () -> refuse(field, "Choose among the options."));
        }
        if (chosen.isEmpty()) {
            refuse(field, "Choose at least one.");
        }
        return chosen;
    }

    /** Notes what is wrong with a field; the first word counts. */
    String refuse(String field, String reason) {
        errors.putIfAbsent(field, reason);
        return "";
    }

    /** Notes beside a field what was in the way of the whole form. Any failure but a conflict is thrown again. */
    void refuse(String field, Failure failure) {
        if (failure.code() != ErrorCode.CONFLICT) {
            throw failure;
        }
        refuse(field, failure.detail());
    }

    private List<String> values(String name) {
        return form == null ? values.getOrDefault(name, new ArrayList<>()) : form.values(name);
    }
}
