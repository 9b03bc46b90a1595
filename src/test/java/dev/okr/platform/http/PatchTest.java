package dev.okr.platform.http;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.HttpTest;
import dev.okr.testing.OpenApiDocument;
import dev.okr.testing.Paths;
import io.quarkus.test.junit.QuarkusTest;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** PATCH does what PUT does. */
@QuarkusTest
class PatchTest extends HttpTest {
    @Test
    void every_put_has_a_patch_with_the_same_fields() {
        var operations = OpenApiDocument.of(service).operations();
        var puts = operations.stream()
                .filter(operation -> operation.method().equals("PUT"))
                .toList();
        assertThat(puts)
                .hasSizeGreaterThan(5)
                .allSatisfy(put -> assertThat(operations)
                        .anyMatch(operation -> operation.method().equals("PATCH")
                                && operation.path().equals(put.path())
                                && operation.bodyFields().equals(put.bodyFields())));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/json",
                "application/json; charset=utf-8",
                "application/merge-patch+json",
                "application/merge-patch+json; charset=utf-8"
            })
    void a_patch_changes_every_resource_that_has_a_put(String type) {
        var objective = newObjective();
        var keyResult = newKeyResult(objective, 0, 10);
        var checkIn = newCheckIn(keyResult, 5);
        var webhook = newWebhook();
        var team = acme.team("Growth");
        acme.join(team, acme.memberUser(), "member");
        var alignment = newAlignment(objective, newObjective());
        var patching = admin.header("Content-Type", type);
        for (var path : List.of(
                "/v1/cycles/" + newCycle(),
                Paths.objective(objective),
                Paths.keyResult(objective, keyResult),
                "/v1/key-results/" + keyResult,
                "/v1/teams/" + team.id(),
                "/v1/users/" + acme.memberUser().id())) {
            var field = path.matches(".*/(cycles|teams|users)/.*") ? "name" : "title";
            var patched = patching.send("PATCH", path, object(field, "Patched")).is(200);
            assertThat(patched.text(field)).isEqualTo("Patched");
            assertThat(patched.header("ETag")).isEqualTo(admin.get(path).header("ETag"));
        }
        assertThat(patching.send("PATCH", "/v1/alignments/" + alignment, object("weight", 3))
                        .is(200)
                        .number("weight"))
                .isEqualByComparingTo("3");
        var membership =
                "/v1/teams/" + team.id() + "/members/" + acme.memberUser().id();
        assertThat(patching.send("PATCH", membership, object("role", "lead"))
                        .is(200)
                        .text("role"))
                .isEqualTo("lead");
        var checkInPath = Paths.checkIn(keyResult, checkIn);
        patching.send("PATCH", checkInPath, object("note", "Why")).is(200);
        assertThat(patching.send("PATCH", checkInPath, object("note", null))
                        .is(200)
                        .data()
                        .has("note"))
                .isFalse();
        assertThat(patching.send("PATCH", "/v1/webhooks/" + webhook, object("active", false))
                        .is(200)
                        .data()
                        .get("active")
                        .booleanValue())
                .isFalse();
    }

    @Test
    void a_patch_has_the_checks_of_a_put() {
        var path = Paths.objective(newObjective());
        member.send("PATCH", path, object("title", 5, "x", 1)).isInvalid("/title invalid_type", "/x unknown_field");
        member.send("PATCH", path, "[]").isMalformed();
        member.send("PATCH", path, null).isMalformed();
        viewer.send("PATCH", path, object()).isProblem(403, "forbidden");
        acme.scoped("read").send("PATCH", path, object()).isProblem(403, "insufficient_scope");
        stranger().send("PATCH", path, object()).isProblem(401, "unauthenticated");
        member.header("If-Match", "\"stale\"").send("PATCH", path, object()).isProblem(412, "precondition_failed");
        member.header("Content-Type", "text/plain").send("PATCH", path, "{}").isProblem(415, "unsupported_media_type");
        member.header("Content-Type", "application/merge-patch+json")
                .put(path, object())
                .isProblem(415, "unsupported_media_type");
        member.send("PATCH", "/v1/objectives", object()).isProblem(405, "method_not_allowed");
        member.send("PATCH", Paths.objective("x"), object()).isNotFound();
        organization().admin().send("PATCH", path, object()).isNotFound();
    }
}
