package dev.okr.bench;

import dev.okr.access.Token;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;

/** Writes the rows of the small tables: organisations, users, API keys, teams and cycles. */
final class SmallTables {
    /** The number of organisations with an API key. The benchmark sends requests only to these. */
    private static final int ORGANIZATIONS_WITH_KEY = 33;

    /** No cycle starts or ends during the measurement, so the service does not change any. */
    private static final Instant END = Instant.parse("2124-01-01T00:00:00Z");

    private final Connection connection;
    private final Size size;

    SmallTables(Connection connection, Size size) {
        this.connection = connection;
        this.size = size;
    }

    void load() throws SQLException, IOException {
        copy("organization", "id,slug,name,plan,created_at", (rows, tenant) -> rows.row()
                .id(tenant.id)
                .text("org-" + tenant.number)
                .text("Organisation " + tenant.number)
                .text("enterprise")
                .moment(Tenant.START));
        copy("users", "organization_id,id,email,name,role,created_at", this::users);
        copy("api_key", "organization_id,id,user_id,name,token_hash,scopes,created_at", this::apiKey);
        copy("team", "organization_id,id,name,created_at", this::teams);
        copy("team_member", "organization_id,team_id,user_id,role", this::members);
        copy("cycle", "organization_id,id,name,starts_at,ends_at,status,created_at,updated_at", this::cycles);
    }

    private interface Writer {
        void write(CopyRows rows, Tenant tenant) throws IOException;
    }

    private void copy(String table, String columns, Writer writer) throws SQLException, IOException {
        try (var rows = new CopyRows(connection, table, columns, false)) {
            for (int i = 0; i < size.organizations(); i++) {
                writer.write(rows, new Tenant(i, size.cycles(i)));
            }
        }
    }

    private void users(CopyRows rows, Tenant tenant) throws IOException {
        for (int i = 0; i < Tenant.USERS; i++) {
            rows.row()
                    .id(tenant.id)
                    .id(tenant.user(i))
                    .text("person%d@org-%d.test".formatted(i, tenant.number))
                    .text("Person %02d".formatted(i))
                    .text(i == 0 ? "admin" : "member")
                    .moment(Tenant.START);
        }
    }

    private void apiKey(CopyRows rows, Tenant tenant) throws IOException {
        if (tenant.number < ORGANIZATIONS_WITH_KEY) {
            rows.row()
                    .id(tenant.id)
                    .id(tenant.apiKey())
                    .id(tenant.user(0))
                    .text("bench")
                    .bytes(Token.hash(Tenant.token(tenant.number)))
                    .texts("read", "write", "webhooks")
                    .moment(Tenant.START);
        }
    }

    private void teams(CopyRows rows, Tenant tenant) throws IOException {
        for (int i = 0; i < Tenant.TEAMS; i++) {
            rows.row().id(tenant.id).id(tenant.team(i)).text("Team %02d".formatted(i)).moment(Tenant.START);
        }
    }

    private void members(CopyRows rows, Tenant tenant) throws IOException {
        for (int i = 0; i < Tenant.USERS; i++) {
            rows.row()
                    .id(tenant.id)
                    .id(tenant.team(i))
                    .id(tenant.user(i))
                    .text(i < Tenant.TEAMS ? "lead" : "member");
        }
    }

    private void cycles(CopyRows rows, Tenant tenant) throws IOException {
        for (int i = 0; i < size.cycles(tenant.number); i++) {
            rows.row()
                    .id(tenant.id)
                    .id(tenant.cycle(i))
                    .text("Cycle " + (i + 1))
                    .moment(Tenant.START)
                    .moment(END)
                    .text("active")
                    .moment(Tenant.START)
                    .moment(Tenant.START);
        }
    }
}
