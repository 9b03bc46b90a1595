package dev.okr.console;

import dev.okr.organizations.EmailAddress;
import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.Text;
import dev.okr.platform.ids.IdKind;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a form: initial values, or submitted values with their errors. {@link FormReader} makes a submitted
 * form only if its token is valid for the user. The methods that read fields collect errors instead of throwing, so
 * that the page shows all of them.
 */
public final class Form {
    static final String TOKEN = "form_token";

    private final Map<String, List<String>> values = new LinkedHashMap<>();
    private final Map<String, String> errors = new LinkedHashMap<>();
    private final Map<String, String> conflicts = new LinkedHashMap<>();

    private BiFunction<UUID, String, UUID> createdIds = (id, parent) -> id;
    private @Nullable UploadedFile file;

    private Form() {}

    /** A form that has not been submitted. */
    public static Form empty() {
        return new Form();
    }

    /** Parses {@code application/x-www-form-urlencoded}. */
    static Form parse(String body) {
        var form = new Form();
        for (var pair : body.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                form.values
                        .computeIfAbsent(decode(pair.substring(0, equals)), name -> new ArrayList<>())
                        .add(decode(pair.substring(equals + 1)));
            }
        }
        return form;
    }

    /** Sets the function that maps the id in the form and the id of the parent to the id of the created resource. */
    Form withCreatedIds(BiFunction<UUID, String, UUID> rule) {
        this.createdIds = rule;
        return this;
    }

    /** The same form with a file. */
    Form with(UploadedFile uploaded) {
        this.file = uploaded;
        return this;
    }

    /** The file that was sent with the form. */
    public Optional<UploadedFile> file() {
        return Optional.ofNullable(file);
    }

    /** Sets the initial values of a field. */
    public Form with(String name, String... initialValues) {
        values.put(name, List.of(initialValues));
        return this;
    }

    /** The value of a field. Empty if it was not sent. */
    public String value(String name) {
        return values(name).stream().findFirst().orElse("");
    }

    /** Whether an option is selected. */
    public boolean has(String name, String option) {
        return values(name).contains(option);
    }

    /** Adds an error to a form that was not sent. */
    public Form withError(String field, String reason) {
        addError(field, reason);
        return this;
    }

    /** Whether a field was sent. */
    public boolean has(String name) {
        return values.containsKey(name);
    }

    /** The name of the field that contains the initial value of another field. See {@link FormFields}. */
    public static String was(String name) {
        return "was_" + name;
    }

    /** The initial value of a field. */
    public String shown(String name) {
        return value(was(name));
    }

    /** Records that somebody else changed a field after the form was opened. */
    void addConflict(String field, String theirs) {
        addError(
                field,
                "Somebody changed this while you edited. Your value is in the field. Save again to replace theirs.");
        conflicts.putIfAbsent(field, theirs);
    }

    /** The value that somebody else saved for a field after the form was opened. Null if nobody did. */
    public @Nullable String conflict(String name) {
        return conflicts.get(name);
    }

    public boolean hasConflicts() {
        return !conflicts.isEmpty();
    }

    /** The error of a field. Null if there is none. */
    public @Nullable String error(String name) {
        return errors.get(name);
    }

    public boolean hasErrors() {
        return !errors.isEmpty();
    }

    /** Reads a required one-line name. Returns an empty text if it is invalid. */
    public String name(String field) {
        var text = Text.normalize(value(field));
        if (text.isEmpty()) {
            return addError(field, "Enter a name.");
        }
        if (Text.isLonger(text, Text.MAX_TITLE_CODE_POINTS)) {
            return addError(field, "A name can have at most %d characters.".formatted(Text.MAX_TITLE_CODE_POINTS));
        }
        if (!Text.isClean(text) || text.indexOf('\n') >= 0) {
            return addError(field, "A name must be one line without control characters.");
        }
        return text;
    }

    /** Reads a required email address. Returns an empty text if it is invalid. */
    public String email(String field) {
        var text = Text.normalize(value(field));
        if (text.isEmpty()) {
            return addError(field, "Enter an email address.");
        }
        if (EmailAddress.parse(text).isEmpty() || !Text.isClean(text)) {
            return addError(field, "This is not a valid email address.");
        }
        return text;
    }

    /** Reads the selected option. Empty if it is invalid. */
    public <E extends Enum<E>> Optional<E> choice(String field, Class<E> options) {
        var chosen = EnumNames.parse(options, value(field));
        if (chosen.isEmpty()) {
            addError(field, "Select an option.");
        }
        return chosen;
    }

    /** Reads the selected options, at least one. */
    public <E extends Enum<E>> Set<E> choices(String field, Class<E> options) {
        var chosen = EnumSet.noneOf(options);
        for (var value : values(field)) {
            EnumNames.parse(options, value)
                    .ifPresentOrElse(chosen::add, () -> addError(field, "Select only listed options."));
        }
        if (chosen.isEmpty()) {
            addError(field, "Select at least one option.");
        }
        return chosen;
    }

    /** The errors by field. */
    public Map<String, String> errors() {
        return Map.copyOf(errors);
    }

    /** Adds an error to a field, unless it already has one. */
    public String addError(String field, String reason) {
        errors.putIfAbsent(field, reason);
        return "";
    }

    /** Adds a conflict as an error to a field. Other failures are thrown. */
    public void addError(String field, Failure failure) {
        if (failure.code() != ErrorCode.CONFLICT && failure.code() != ErrorCode.LAST_ADMIN) {
            throw failure;
        }
        addError(field, failure.detail());
    }

    /** All values of a field. Empty if none was sent. */
    public List<String> values(String name) {
        return values.getOrDefault(name, List.of());
    }

    /**
     * Adds the errors that the rules of the API found, to the fields with the same names. Other failures are thrown.
     */
    public void addErrors(Failure failure) {
        if (failure.errors().isEmpty()) {
            throw failure;
        }
        // The pointer of an element of a list is /field/index.
        failure.errors().forEach(error -> addError(error.pointer().split("/", 3)[1], error.detail()));
    }

    /**
     * The id of the resource that the form creates. It depends on the id in the form, so a form sent twice creates one
     * resource.
     *
     * @throws Failure if the field is missing or wrong
     */
    public UUID createdId(IdKind kind) {
        return createdId(kind, "");
    }

    /**
     * Like {@link #createdId(IdKind)}, for a resource that is deleted and restored with its parent. The id also depends
     * on the parent. So a form that is sent again below another parent cannot take the id of a deleted resource.
     */
    public UUID createdId(IdKind kind, String parent) {
        return kind.parse(value("id"))
                .map(id -> createdIds.apply(id, parent))
                .orElseThrow(
                        () -> Failure.malformed("The form is incomplete. Go back, reload the page and try again."));
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
