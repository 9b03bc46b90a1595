package dev.okr.console.data;

import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.io.InputStream;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Export and import. The implementation is in a higher area. All methods work for the organisation of the request. */
public interface DataMover {
    /**
     * The response with the lines of an export.
     *
     * @param cycleId limits the export to a cycle; null for everything
     */
    Response export(@Nullable String cycleId) throws SQLException;

    /** Stores a file and starts a dry run of it. Returns the id of the dry run. */
    String check(InputStream file, boolean isCompressed) throws IOException, SQLException;

    /**
     * Starts the import of a file that a dry run has checked. Returns the id of the import.
     *
     * @throws dev.okr.platform.errors.Failure a conflict if the dry run has not succeeded, or its file was deleted
     */
    String start(String dryRunId) throws SQLException;

    /** @throws dev.okr.platform.errors.Failure if the organisation has no such import */
    ImportRun require(String id);

    /** The last imports and dry runs, newest first. */
    List<ImportRun> last(int count);
}
