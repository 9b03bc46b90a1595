package dev.okr.settings;

import dev.okr.overview.OverviewPage;
import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The pages, by the names of their files in {@code templates/settings}. */
@CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
final class Templates {
    private Templates() {}

    static native TemplateInstance error(Shell shell, String title, String detail, String requestId, boolean back);

    static native TemplateInstance notice(Shell shell, String title, String text);

    static native TemplateInstance overview(Shell shell, @Nullable OverviewPage page);

    static native TemplateInstance apiKeys(Shell shell, List<ApiKeyRow> keys, Paging paging, boolean api);

    static native TemplateInstance apiKeyNew(Shell shell, Input input, boolean api);

    static native TemplateInstance apiKeyIssued(Shell shell, ApiKeyRow key, String token, String url, String note);

    static native TemplateInstance apiKeyRotate(Shell shell, ApiKeyRow key, Input input);

    static native TemplateInstance apiKeyRevoke(Shell shell, ApiKeyRow key);

    static native TemplateInstance audit(Shell shell, List<AuditRow> entries, Paging paging);
}
