package dev.okr.console.week;

import dev.okr.console.Form;
import dev.okr.console.FormFields;
import dev.okr.console.Names;
import dev.okr.console.Numbers;
import dev.okr.objectives.CheckInWriter;
import dev.okr.objectives.overview.DueKeyResult;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.Caller;
import dev.okr.platform.ids.IdKind;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Saves the check-ins of forms. */
@ApplicationScoped
public class CheckInForms {
    private static final int CONFLICT = 409;

    private final CheckInWriter checkIns;
    private final Caller caller;

    CheckInForms(CheckInWriter checkIns, Caller caller) {
        this.checkIns = checkIns;
        this.caller = caller;
    }

    /** A form that was not saved. It contains the reason. */
    public record Rejected(int status, DueKeyResult keyResult, CheckInForm form) {}

    /**
     * Saves a check-in. If nothing is saved, returns the form with errors or with both values.
     *
     * @param action where the form is sent
     * @throws Failure if there is no such key result
     */
    public Optional<Rejected> save(String keyResultId, String action, Form form) {
        try {
            var id = form.createdId(IdKind.CHECK_IN, keyResultId);
            var fields = FormFields.of(form)
                    .number(CheckInForm.VALUE, CheckInForm.CONFIDENCE)
                    .text(CheckInForm.NOTE)
                    .time(CheckInForm.RECORDED_AT)
                    .read();
            if (checkIns.create(id, keyResultId, form.value(CheckInForm.SEEN), new BodyReader(fields))) {
                return Optional.empty();
            }
            var present = require(keyResultId);
            // The form gets the present version, so that the user can send it again.
            form.with(CheckInForm.SEEN, present.version());
            return Optional.of(rejected(CONFLICT, present, action, form, conflict(present, form)));
        } catch (Failure failure) {
            var present = require(keyResultId);
            FormFields.addErrors(form, failure);
            return Optional.of(rejected(failure.code().status(), present, action, form, null));
        }
    }

    /** @throws Failure if there is no such key result */
    public static DueKeyResult require(String keyResultId) {
        return DueKeyResult.find(keyResultId).orElseThrow(() -> Failure.notFound("key result"));
    }

    private static Rejected rejected(
            int status, DueKeyResult keyResult, String action, Form form, CheckInForm.@Nullable Conflict conflict) {
        var id = IdKind.KEY_RESULT.format(keyResult.id());
        return new Rejected(
                status,
                keyResult,
                new CheckInForm(action, id, keyResult.title(), keyResult.metric(), form, conflict, true));
    }

    private CheckInForm.Conflict conflict(DueKeyResult keyResult, Form form) {
        var last = keyResult.last();
        var metric = keyResult.metric();
        var theirs = Numbers.format(keyResult.current(), metric);
        var yours = Numbers.parse(form.value(CheckInForm.VALUE))
                .map(value -> Numbers.format(value, metric))
                .orElse("");
        if (last != null && last.value().compareTo(keyResult.current()) == 0) {
            var author = last.authorId().equals(caller.userId())
                    ? "You"
                    : new Names(List.of(last.authorId())).of(last.authorId());
            return new CheckInForm.Conflict(author, theirs, last.note(), yours);
        }
        return new CheckInForm.Conflict(null, theirs, null, yours);
    }
}
