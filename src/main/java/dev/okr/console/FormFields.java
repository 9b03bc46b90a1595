package dev.okr.console;

import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.errors.FieldError;
import dev.okr.platform.http.JsonValue;
import dev.okr.platform.http.Text;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Converts the fields of a form to fields of the API. A form that creates something omits empty fields.
 *
 * <p>A form that changes something contains each initial value in a field {@code was_…}. Fields that the user did not
 * edit are not written, so they never overwrite the change of somebody else. If both changed the same field, nothing is
 * written. The form then shows both values. The next attempt replaces the value of the other user.
 */
public final class FormFields {
    private static final String NUMBER_EXPECTED = "Enter a number, such as 12.5.";

    /** The key of errors that concern the whole form. */
    public static final String WHOLE = "form";

    private static final Set<ErrorCode> OF_WHOLE =
            Set.of(ErrorCode.CONFLICT, ErrorCode.CYCLE_CLOSED, ErrorCode.LIMIT_REACHED, ErrorCode.VALIDATION_FAILED);

    private final Form form;
    private final String prefix;
    private final Map<String, JsonValue> fields = new LinkedHashMap<>();

    private FormFields(Form form, String prefix) {
        this.form = form;
        this.prefix = prefix;
    }

    public static FormFields of(Form form) {
        return new FormFields(form, "");
    }

    /** Reads fields whose names begin with a prefix. */
    public static FormFields of(Form form, String prefix) {
        return new FormFields(form, prefix);
    }

    /** Sets the initial value of a field that a form changes, unless the field was sent. */
    public static Form shown(Form form, String name, @Nullable String value) {
        if (form.has(name)) {
            return form;
        }
        var text = value == null ? "" : value;
        return form.with(name, text).with(Form.was(name), text);
    }

    public FormFields text(String... names) {
        for (var name : names) {
            var text = value(name);
            if (!text.isEmpty()) {
                fields.put(name, new JsonValue.Text(text));
            }
        }
        return this;
    }

    public FormFields number(String... names) {
        for (var name : names) {
            if (!value(name).isEmpty()) {
                number(name, value(name));
            }
        }
        return this;
    }

    /** Reads inputs of the type {@code datetime-local}, in UTC. */
    public FormFields time(String... names) {
        for (var name : names) {
            if (!value(name).isEmpty()) {
                fields.put(name, new JsonValue.Text(Moment.fromLocal(value(name))));
            }
        }
        return this;
    }

    /** Adds a value that is not in the form. */
    public FormFields with(String name, JsonValue value) {
        fields.put(name, value);
        return this;
    }

    /** Reads a changed text. An empty one clears the field. */
    public FormFields changed(String name, @Nullable String present) {
        if (isChanged(name, present == null ? "" : Text.normalize(present), value(name))) {
            var text = value(name);
            fields.put(name, text.isEmpty() ? new JsonValue.Null() : new JsonValue.Text(text));
        }
        return this;
    }

    /** Reads a changed number. An empty one clears the field. */
    public FormFields changed(String name, @Nullable BigDecimal present) {
        var entered = Numbers.parse(value(name)).map(FormFields::plain).orElse(value(name));
        if (isChanged(name, present == null ? "" : plain(present), entered)) {
            if (entered.isEmpty()) {
                fields.put(name, new JsonValue.Null());
            } else {
                number(name, entered);
            }
        }
        return this;
    }

    /** Reads a changed time, to the minute. */
    public FormFields changed(String name, Instant present) {
        if (isChanged(name, Moment.local(present), value(name))) {
            time(name);
        }
        return this;
    }

    /** @throws Failure if a field is wrong or was changed by somebody else */
    public Map<String, JsonValue> read() {
        if (form.hasErrors()) {
            throw Failure.of(
                    form.hasConflicts() ? ErrorCode.CONFLICT : ErrorCode.VALIDATION_FAILED, "Nothing was changed.");
        }
        return fields;
    }

    /**
     * Adds the errors that the rules of the API found to the fields of the form. Other failures are thrown.
     *
     * @param path the JSON Pointer of the object that the form describes, such as {@code /objectives/0}
     */
    public static void addErrors(Form form, Failure failure, String path) {
        if (failure.errors().isEmpty() && !OF_WHOLE.contains(failure.code())) {
            throw failure;
        }
        failure.errors().forEach(error -> {
            var pointer = error.pointer();
            form.addError(
                    pointer.substring(pointer.startsWith(path) ? path.length() + 1 : 1)
                            .replace('/', '.'),
                    words(error));
        });
        if (failure.errors().isEmpty() && !form.hasErrors()) {
            form.addError(WHOLE, detail(failure.code().code(), failure.detail()));
        }
    }

    public static void addErrors(Form form, Failure failure) {
        addErrors(form, failure, "");
    }

    /** The detail of a failure without the id of a closed cycle, which means nothing to people. */
    static String detail(String code, String detail) {
        return code.equals(ErrorCode.CYCLE_CLOSED.code()) ? ErrorCode.CYCLE_CLOSED.detail() : detail;
    }

    /** A number in the format of a form field. */
    public static String plain(BigDecimal number) {
        return number.stripTrailingZeros().toPlainString();
    }

    private static String words(FieldError error) {
        return switch (error.code()) {
            case "required", "too_short", "not_nullable" -> "Fill in this field.";
            case "equals_start" -> "The target must differ from the start.";
            case "not_after_start" -> "The end must be after the start.";
            case "unknown_reference" -> "Select an entry of the list.";
            default -> error.detail();
        };
    }

    private boolean isChanged(String name, String present, String entered) {
        var seen = Form.was(name);
        if (!form.has(name) || entered.equals(present)) {
            return false;
        }
        if (!form.has(seen)) {
            return true;
        }
        var shown = Text.normalize(form.value(seen));
        if (entered.equals(shown)) {
            return false;
        }
        if (!shown.equals(present)) {
            form.with(seen, present);
            form.addConflict(name, present);
            return false;
        }
        return true;
    }

    private void number(String name, String text) {
        Numbers.parse(text)
                .ifPresentOrElse(
                        number -> fields.put(name, new JsonValue.Number(number.toPlainString())),
                        () -> form.addError(prefix + name, NUMBER_EXPECTED));
    }

    private String value(String name) {
        return Text.normalize(form.value(prefix + name));
    }
}
