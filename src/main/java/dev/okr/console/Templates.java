package dev.okr.console;

import dev.okr.console.overview.OverviewPage;
import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The templates in {@code templates/settings}. Method names correspond to file names. */
@CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
final class Templates {
    private Templates() {}

    static native TemplateInstance error(
            Shell shell, String title, String detail, String requestId, @Nullable String link);

    static native TemplateInstance notice(Shell shell, String title, String text, String link);

    static native TemplateInstance signOut(Shell shell);

    static native TemplateInstance overview(Shell shell, @Nullable OverviewPage page);

    static native TemplateInstance apiKeys(Shell shell, List<ApiKeyRow> keys, Paging paging, boolean api);

    static native TemplateInstance apiKeyNew(Shell shell, Input input, boolean api);

    static native TemplateInstance apiKeyIssued(Shell shell, ApiKeyRow key, String token, String url, String note);

    static native TemplateInstance apiKeyRotate(Shell shell, ApiKeyRow key, Input input);

    static native TemplateInstance apiKeyRevoke(Shell shell, ApiKeyRow key);

    static native TemplateInstance people(Shell shell, List<PersonRow> people, Paging paging);

    static native TemplateInstance personNew(Shell shell, Input input);

    static native TemplateInstance person(Shell shell, PersonRow person, Input input);

    static native TemplateInstance personDeactivate(Shell shell, PersonRow person);

    static native TemplateInstance teams(Shell shell, List<TeamRow> teams, Paging paging);

    static native TemplateInstance teamNew(Shell shell, Input input);

    static native TemplateInstance team(Shell shell, TeamRow team, List<MemberRow> members, Paging paging);

    static native TemplateInstance teamRename(Shell shell, TeamRow team, Input input);

    static native TemplateInstance memberNew(Shell shell, TeamRow team, Input input);

    static native TemplateInstance webhooks(Shell shell, List<WebhookRow> webhooks, Paging paging);

    static native TemplateInstance webhook(
            Shell shell,
            WebhookRow webhook,
            List<DeliveryFilter> filters,
            List<DeliveryRow> deliveries,
            @Nullable String older);

    static native TemplateInstance delivery(
            Shell shell,
            WebhookRow webhook,
            DeliveryRow delivery,
            String userAgent,
            String payload,
            List<AttemptRow> attempts);

    static native TemplateInstance audit(Shell shell, List<AuditRow> entries, @Nullable String older);
}
