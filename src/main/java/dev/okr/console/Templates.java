package dev.okr.console;

import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import org.jspecify.annotations.Nullable;

/** The templates in {@code templates/settings}. Method names correspond to file names. */
@CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
final class Templates {
    private Templates() {}

    static native TemplateInstance error(
            Shell shell, String title, String detail, String requestId, @Nullable String link);

    static native TemplateInstance notice(Shell shell, String title, String text, String link);

    static native TemplateInstance signOut(Shell shell);
}
