package dev.okr.operations.demo;

import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;

/** Creates an import of an empty file. The example of {@code GET /v1/imports/{id}} reads it. */
final class DemoImport {
    private static final String IMPORT = "imp_01k9m2x7q4e8rvb3t5w6y0zacd";

    private static final String INSERT = """
            INSERT INTO import (organization_id, id, status, dry_run, notify, by_command, user_id, gzip, bytes, progress,
                created_at, started_at, finished_at)
            SELECT u.organization_id, ?, 'succeeded', false, false, false, u.id, false, 0, 1, ?, ?, ?
            FROM users u WHERE u.organization_id = ? AND u.role = 'admin' ORDER BY u.id LIMIT 1
            """;

    private DemoImport() {}

    static void create(Sql sql, UUID organizationId, Instant now) throws SQLException {
        sql.update(INSERT, IdKind.IMPORT.require(IMPORT), now, now, now, organizationId);
    }
}
