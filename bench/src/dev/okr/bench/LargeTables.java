package dev.okr.bench;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;

/** Writes objectives, key results and check-ins like the service, with one stream for each table. */
final class LargeTables {
    private static final String[] STATUSES = {"not_started", "on_track", "on_track", "at_risk", "behind", "completed"};
    private static final int NEWEST = 1;

    private final Size size;
    private final AtomicLong written;

    /** @param written counts the rows */
    LargeTables(Size size, AtomicLong written) {
        this.size = size;
        this.written = written;
    }

    void objectives(Connection connection) throws SQLException, IOException {
        copy(
                connection,
                "objective",
                "organization_id,id,title,description,owner_id,cycle_id,team_id,progress,status,created_at,updated_at",
                this::objective);
    }

    void keyResults(Connection connection) throws SQLException, IOException {
        copy(
                connection,
                "key_result",
                "organization_id,id,objective_id,title,metric_type,start_value,current_value,target_value,progress,"
                        + "owner_id,created_at,updated_at",
                this::keyResults);
    }

    void checkIns(Connection connection) throws SQLException, IOException {
        copy(
                connection,
                "check_in",
                "organization_id,id,key_result_id,value,note,author_id,created_at,updated_at",
                this::checkIns);
    }

    /** Writes the rows of an objective and returns their number. */
    private interface Writer {
        int write(CopyRows rows, Tenant tenant, int objective) throws IOException;
    }

    private void copy(Connection connection, String table, String columns, Writer writer)
            throws SQLException, IOException {
        try (var statement = connection.createStatement()) {
            // COPY can bypass the WAL and freeze the rows only if this transaction has truncated the table.
            statement.execute("TRUNCATE " + table);
        }
        try (var rows = new CopyRows(connection, table, columns, true)) {
            for (int i = 0; i < size.organizations(); i++) {
                var tenant = new Tenant(i, size.cycles(i));
                for (int j = 0; j < size.objectives(i); j++) {
                    written.addAndGet(writer.write(rows, tenant, j));
                }
            }
        }
    }

    private int objective(CopyRows rows, Tenant tenant, int objective) throws IOException {
        long random = tenant.random(Tenant.Kind.OBJECTIVE, objective);
        rows.row().id(tenant.id).id(tenant.objective(objective)).text(Words.title(random));
        if (random % 2 == 0) {
            rows.text(Words.description(random));
        } else {
            rows.nothing();
        }
        rows.id(tenant.user(random >> 8)).id(tenant.cycle(objective)).id(tenant.team(random >> 16));
        rows.number(Metric.progress(tenant, objective));
        rows.text(STATUSES[Math.floorMod(random >> 24, STATUSES.length)]);
        rows.moment(Tenant.objectiveMoment(objective));
        int last = Tenant.KEY_RESULTS_PER_OBJECTIVE - 1;
        rows.moment(Tenant.checkInMoment(objective, last, Tenant.checkIns(last) - NEWEST));
        return 1;
    }

    private int keyResults(CopyRows rows, Tenant tenant, int objective) throws IOException {
        var objectiveId = tenant.objective(objective);
        for (int i = 0; i < Tenant.KEY_RESULTS_PER_OBJECTIVE; i++) {
            long random = tenant.random(Tenant.Kind.KEY_RESULT, 7L * objective + i);
            var metric = Metric.of(tenant, objective, i);
            rows.row().id(tenant.id).id(tenant.keyResult(objective, i)).id(objectiveId);
            rows.text(Words.title(random)).text(metric.type());
            rows.number(metric.start()).number(metric.current()).number(metric.target()).number(metric.progress());
            rows.id(tenant.user(random)).moment(Tenant.keyResultMoment(objective, i));
            rows.moment(Tenant.checkInMoment(objective, i, Tenant.checkIns(i) - NEWEST));
        }
        return Tenant.KEY_RESULTS_PER_OBJECTIVE;
    }

    private int checkIns(CopyRows rows, Tenant tenant, int objective) throws IOException {
        for (int i = 0; i < Tenant.KEY_RESULTS_PER_OBJECTIVE; i++) {
            var metric = Metric.of(tenant, objective, i);
            var keyResultId = tenant.keyResult(objective, i);
            for (int j = 0; j < metric.values().length; j++) {
                long random = tenant.random(Tenant.Kind.CHECK_IN, 7L * objective + 2L * i + j);
                var moment = Tenant.checkInMoment(objective, i, j);
                rows.row().id(tenant.id).id(tenant.checkIn(objective, i, j)).id(keyResultId);
                rows.number(metric.values()[j]);
                if (random % 2 == 0) {
                    rows.text(Words.note(random));
                } else {
                    rows.nothing();
                }
                rows.id(tenant.user(random >> 8)).moment(moment).moment(moment);
            }
        }
        return Tenant.CHECK_INS_PER_OBJECTIVE;
    }
}
