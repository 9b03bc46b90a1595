package dev.okr.operations.demo;

import static dev.okr.operations.provisioning.MigratedDatabase.answer;
import static dev.okr.operations.provisioning.MigratedDatabase.execute;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.access.Token;
import dev.okr.operations.provisioning.MigratedDatabase;
import dev.okr.platform.encryption.SecretBox;
import dev.okr.platform.encryption.SecretBoxes;
import dev.okr.platform.transactions.Sql;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Base64;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class DemoOrganizationTest {
    private static final Instant NOW = Instant.parse("2026-11-21T09:00:00Z");
    private static final SecretBox SECRET_BOX = SecretBoxes.of(SecretBoxes.key(1));
    private static final String TOKEN = DemoKey.token(Base64.getEncoder().encodeToString(new byte[32]));

    @BeforeAll
    static void replicas_that_start_together_create_it_once() throws Exception {
        try (var executor = Executors.newFixedThreadPool(4)) {
            Callable<Boolean> start = DemoOrganizationTest::create;
            var created = executor.invokeAll(
                    IntStream.range(0, 4).mapToObj(i -> start).toList());
            assertThat(created.stream().filter(done -> done.resultNow())).hasSize(1);
        }
    }

    @Test
    void the_demonstration_has_each_cycle_status_and_each_metric_type() {
        assertThat(demo("string_agg(DISTINCT status, ',' ORDER BY status)", "cycle"))
                .isEqualTo("active,completed,planned");
        assertThat(demo("string_agg(DISTINCT metric_type, ',' ORDER BY metric_type)", "key_result"))
                .isEqualTo("boolean,currency,number,percentage");
        assertThat(demo("string_agg(DISTINCT status, ',' ORDER BY status)", "objective"))
                .isEqualTo("at_risk,behind,completed,not_started,on_track");
        assertThat(demo("string_agg(DISTINCT role, ',' ORDER BY role)", "users"))
                .isEqualTo("admin,member,viewer");
        assertThat(Integer.parseInt(demo("count(*)", "alignment"))).isPositive();
    }

    @Test
    void progress_matches_the_check_ins() {
        assertThat(demo("""
                        count(*) FILTER (WHERE current_value <> coalesce(
                            (SELECT c.value FROM check_in c WHERE c.key_result_id = x.id ORDER BY c.created_at DESC LIMIT 1),
                            start_value))
                        """, "key_result")).isEqualTo("0");
        assertThat(demo("""
                        count(*) FILTER (WHERE progress <> round(
                            greatest(0, least(1, (current_value - start_value) / (target_value - start_value))), 4))
                        """, "key_result")).isEqualTo("0");
        assertThat(demo("""
                        count(*) FILTER (WHERE progress <> coalesce(
                            (SELECT round(avg(i.progress), 4) FROM (
                                SELECT k.progress FROM key_result k WHERE k.objective_id = x.id
                                UNION ALL
                                SELECT c.progress FROM alignment a JOIN objective c ON c.id = a.child_objective_id
                                WHERE a.parent_objective_id = x.id AND a.alignment_type = 'contributes_to') i), 0))
                        """, "objective")).isEqualTo("0");
    }

    @Test
    void no_timestamp_is_in_the_future_or_before_its_cause() {
        for (var table : new String[] {"cycle", "objective", "key_result", "check_in", "alignment"}) {
            assertThat(demo("bool_and(created_at <= updated_at AND updated_at <= '" + NOW + "')", table))
                    .as(table)
                    .isEqualTo("t");
        }
        assertThat(demo(
                        "bool_and(created_at > (SELECT k.created_at FROM key_result k WHERE k.id = x.key_result_id))",
                        "check_in"))
                .isEqualTo("t");
    }

    @Test
    void the_stored_hash_changes_with_the_encryption_key() throws SQLException {
        assertThat(admit(TOKEN)).isTrue();
        assertThat(admit(TOKEN)).isTrue();
        var other = DemoKey.token(Base64.getEncoder().encodeToString(new byte[31]));

        assertThat(admit(other)).isTrue();

        assertThat(demo("count(*)", "api_key")).isEqualTo("1");
        assertThat(demo("bool_and(token_hash = sha256('" + other + "'))", "api_key"))
                .isEqualTo("t");
        assertThat(demo("min(array_to_string(scopes, ','))", "api_key")).isEqualTo("read,write,webhooks");
    }

    @Test
    void a_revoked_key_stays_revoked() throws SQLException {
        admit(TOKEN);
        execute("UPDATE api_key SET revoked_at = now() WHERE token_hash = ?", Token.hash(TOKEN));

        assertThat(admit(TOKEN)).isFalse();

        execute("UPDATE api_key SET revoked_at = NULL WHERE token_hash = ?", Token.hash(TOKEN));
    }

    private static boolean create() throws SQLException {
        return Sql.transaction(MigratedDatabase.get(), sql -> DemoOrganization.createOnce(sql, NOW, SECRET_BOX));
    }

    private static boolean admit(String token) throws SQLException {
        return Sql.transaction(MigratedDatabase.get(), sql -> DemoKey.admit(sql, token, NOW));
    }

    private static String demo(String expression, String table) {
        return answer("SELECT " + expression + " FROM " + table
                + " x WHERE organization_id = (SELECT id FROM organization WHERE slug = 'demo')");
    }
}
