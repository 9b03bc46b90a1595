package dev.okr.console.teams;

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

    static native TemplateInstance teams(Shell shell, List<TeamRow> teams, Paging paging);

    static native TemplateInstance teamNew(Shell shell, Input input);

    static native TemplateInstance team(Shell shell, TeamRow team, List<TeamRow.Member> members, Paging paging);

    static native TemplateInstance teamRename(Shell shell, TeamRow team, Input input);

    static native TemplateInstance memberNew(Shell shell, TeamRow team, Input input);
}
