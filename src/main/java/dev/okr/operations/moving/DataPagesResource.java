package dev.okr.operations.moving;

import dev.okr.console.AdminsOnly;
import dev.okr.console.ConsolePath;
import dev.okr.console.Form;
import dev.okr.console.Pages;
import dev.okr.console.Shell;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The pages for export and import. A dry run first checks the file. The import starts when the admin has confirmed the
 * result.
 */
@Path(DataPagesResource.PATH)
@AdminsOnly
@RunOnVirtualThread
public class DataPagesResource {
    static final String PATH = ConsolePath.ROOT + "/data";

    private static final String SECTION = "data";
    private static final String FILE = "file";
    private static final int LAST_SHOWN = 10;
    private static final int CYCLES_SHOWN = 50;

    private final ExportResource exports;
    private final ConsoleImports imports;
    private final Pages pages;

    DataPagesResource(ExportResource exports, ConsoleImports imports, Pages pages) {
        this.exports = exports;
        this.imports = imports;
        this.pages = pages;
    }

    /** A cycle that can be exported. */
    public record Cycle(String id, String name) {
        private static final String LAST = """
                SELECT id, name FROM cycle WHERE organization_id = :organization
                ORDER BY starts_at DESC, id LIMIT %d
                """.formatted(CYCLES_SHOWN);

        private static List<Cycle> last() {
            return TenantSql.current().list(Cycle::read, LAST);
        }

        private static Cycle read(ResultSet row) throws SQLException {
            return new Cycle(IdKind.CYCLE.format(Sql.uuid(row, "id")), row.getString("name"));
        }
    }

    @GET
    public Response data() {
        return pages.ok(page(Form.empty()));
    }

    /** @param cycle the id of a cycle; empty or null for everything */
    @GET
    @Path("/export")
    public Response export(@QueryParam("cycle_id") @Nullable String cycle) throws SQLException {
        var id = cycle == null || cycle.isEmpty()
                ? null
                : IdKind.CYCLE.parse(cycle).orElseThrow(() -> Failure.notFound("cycle"));
        return Response.fromResponse(exports.export(id))
                .header("Content-Disposition", "attachment; filename=\"okr-export.ndjson\"")
                .build();
    }

    @POST
    @Path("/imports")
    public Response check(Form form) throws IOException, SQLException {
        var file = form.file();
        if (file.isEmpty()) {
            form.addError(FILE, "Select a file.");
            return pages.invalid(page(form));
        }
        var id = imports.check(file.get().content(), file.get().isCompressed());
        return pages.redirect(address(id));
    }

    @GET
    @Path("/imports/{id}")
    public Response run(@PathParam("id") String id) {
        return pages.ok(Templates.importRun(pages.shell(SECTION), ImportResponse.require(id)));
    }

    @POST
    @Path("/imports/{id}/start")
    public Response start(@PathParam("id") String id, Form form) throws SQLException {
        return pages.redirect(address(imports.start(id)));
    }

    private TemplateInstance page(Form form) {
        return Templates.data(pages.shell(SECTION), form, Cycle.last(), ConsoleImports.last(LAST_SHOWN));
    }

    private static String address(String id) {
        return PATH + "/imports/" + id;
    }

    /** Method names correspond to files in {@code templates/settings}. */
    @CheckedTemplate(basePath = "settings", defaultName = CheckedTemplate.HYPHENATED_ELEMENT_NAME)
    static final class Templates {
        private Templates() {}

        static native TemplateInstance data(Shell shell, Form form, List<Cycle> cycles, List<ImportResponse> last);

        static native TemplateInstance importRun(Shell shell, ImportResponse run);
    }
}
