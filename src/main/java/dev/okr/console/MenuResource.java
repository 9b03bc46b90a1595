package dev.okr.console;

import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Response;

/** The list of the settings that the user can open. On a phone, only this page links to them. */
@Path(ConsolePath.MENU)
@RunOnVirtualThread
public class MenuResource {
    private final ConsoleSession session;
    private final Pages pages;

    MenuResource(ConsoleSession session, Pages pages) {
        this.session = session;
        this.pages = pages;
    }

    @GET
    public Response menu() {
        var role = RoleOptions.label(session.user().role());
        return pages.ok(Templates.menu(pages.shell("settings"), role));
    }

    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance menu(Shell shell, String role);
    }
}
