package dev.okr.console.keys;

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

    static native TemplateInstance apiKeys(Shell shell, List<ApiKeyRow> keys, Paging paging, boolean api);

    static native TemplateInstance apiKeyNew(Shell shell, Input input, boolean api);

    static native TemplateInstance apiKeyIssued(Shell shell, ApiKeyRow key, String token, String url, String note);

    static native TemplateInstance apiKeyRotate(Shell shell, ApiKeyRow key, Input input);

    static native TemplateInstance apiKeyRevoke(Shell shell, ApiKeyRow key);
}
