package dev.okr.console;

import dev.okr.organizations.Role;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.transactions.Sql;
import io.agroal.api.AgroalDataSource;
import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.inject.Instance;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Response;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** The page on which somebody who tries the service chooses a person of the demonstration. See {@link TrialSignIn}. */
@Path(TrialSignIn.PATH)
@RunOnVirtualThread
public class TrialResource {
    private static final int MAX_PEOPLE = 50;

    private static final String PEOPLE = """
            /* all organizations */
            SELECT u.name, u.email, u.role FROM users u JOIN organization o ON o.id = u.organization_id
            WHERE o.slug = ? AND u.deactivated_at IS NULL
            ORDER BY array_position(ARRAY ['admin', 'member', 'viewer'], u.role), u.created_at, u.id LIMIT %d
            """.formatted(MAX_PEOPLE);

    private final Instance<TrialSignIn> trial;
    private final Pages pages;
    private final AgroalDataSource database;
    private final CurrentVertxRequest http;

    TrialResource(Instance<TrialSignIn> trial, Pages pages, AgroalDataSource database, CurrentVertxRequest http) {
        this.trial = trial;
        this.pages = pages;
        this.database = database;
        this.http = http;
    }

    /** A person of the demonstration. */
    public record Person(String name, String email, String role) {
        private static Person read(ResultSet row) throws SQLException {
            var role = EnumNames.parse(Role.class, row.getString("role")).orElseThrow();
            return new Person(row.getString("name"), row.getString("email"), RoleOptions.label(role));
        }
    }

    @GET
    public Response choose() {
        return pages.ok(Templates.trial(pages.shell(""), people(requireOpen())));
    }

    /** @throws Failure if the demonstration has no such active person */
    @POST
    public Response signIn(Form form) {
        var open = requireOpen();
        var person = people(open).stream()
                .filter(each -> each.email().equals(form.value("email")))
                .findFirst()
                .orElseThrow(() -> Failure.notFound("person"));
        open.signIn(http.getCurrent(), person.email());
        return pages.redirect(ConsolePath.START_PAGE);
    }

    private TrialSignIn requireOpen() {
        return trial.stream()
                .filter(each -> each.isOpenFor(http.getCurrent()))
                .findFirst()
                .orElseThrow(() -> Failure.notFound("page"));
    }

    private List<Person> people(TrialSignIn open) {
        try {
            return Sql.transaction(database, sql -> sql.list(Person::read, PEOPLE, open.organization()));
        } catch (SQLException e) {
            throw new IllegalStateException("The people could not be read.", e);
        }
    }

    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance trial(Shell shell, List<Person> people);
    }
}
