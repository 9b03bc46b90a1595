package dev.okr.console.webhooks;

import dev.okr.console.Paging;
import dev.okr.console.Shell;
import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The templates of this package, in {@code templates/settings}. */
@CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
final class Templates {
    private Templates() {}

    static native TemplateInstance webhooks(Shell shell, List<WebhookRow> webhooks, Paging paging);

    static native TemplateInstance webhook(
            Shell shell,
            WebhookRow webhook,
            List<WebhookPagesResource.DeliveryFilter> filters,
            List<DeliveryRow> deliveries,
            @Nullable String older);

    static native TemplateInstance delivery(
            Shell shell,
            WebhookRow webhook,
            DeliveryRow delivery,
            String userAgent,
            String payload,
            List<DeliveryRow.Attempt> attempts);
}
