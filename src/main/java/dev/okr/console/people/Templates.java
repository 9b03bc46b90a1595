package dev.okr.console.people;

import dev.okr.console.Input;
import dev.okr.console.Paging;
import dev.okr.console.Shell;
import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import java.util.List;

/** The templates of this package, in {@code templates/settings}. */
@CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
final class Templates {
    private Templates() {}

    static native TemplateInstance people(Shell shell, List<PersonRow> people, Paging paging);

    static native TemplateInstance personNew(Shell shell, Input input);

    static native TemplateInstance person(Shell shell, PersonRow person, Input input);

    static native TemplateInstance personDeactivate(Shell shell, PersonRow person);
}
