package dev.okr.access;

import static dev.okr.testing.Json.object;
import static dev.okr.testing.Requests.with;

import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import io.quarkus.test.junit.QuarkusTest;
import java.util.List;
import org.junit.jupiter.api.Test;

/** If several checks fail, the response shows the first one in the documented order of the checks. */
@QuarkusTest
class CheckOrderTest extends HttpTest {
    private static final String MALFORMED = "{";
    private static final String STALE = "\"stale\"";
    private static final byte[] TOO_LARGE = new byte[(1 << 20) + 1];

    @Test
    void authentication_is_checked_first() {
        stranger().get("/v1/objectives/nope").isProblem(401, "unauthenticated");
        stranger().get("/v1/objectives?page=0").isProblem(401, "unauthenticated");
        stranger().delete("/v1/cycles").isProblem(401, "unauthenticated");
        stranger().header("Accept", "text/plain").get("/v1/cycles").isProblem(401, "unauthenticated");
        stranger().header("Content-Type", "text/plain").post("/v1/cycles", "x").isProblem(401, "unauthenticated");
        stranger().post("/v1/cycles", MALFORMED).isProblem(401, "unauthenticated");
        stranger().post("/v1/cycles", TOO_LARGE).isProblem(401, "unauthenticated");
    }

    @Test
    void the_plan_is_checked_before_scope_and_role() {
        var poor = organization("team");
        poor.scoped("read").post("/v1/cycles", MALFORMED).isProblem(403, "plan_required");
        poor.viewer().post("/v1/cycles", MALFORMED).isProblem(403, "plan_required");
    }

    @Test
    void the_scope_is_checked_before_the_role() {
        var key = acme.key(acme.viewerUser().uuid(), null, "read");
        stranger().with(key).post("/v1/cycles", MALFORMED).isProblem(403, "insufficient_scope");
        viewer.post("/v1/cycles", MALFORMED).isProblem(403, "forbidden");
    }

    @Test
    void permissions_are_checked_before_the_request_is_read() {
        viewer.post("/v1/objectives", MALFORMED).isProblem(403, "forbidden");
        viewer.post("/v1/objectives", TOO_LARGE).isProblem(403, "forbidden");
        viewer.header("Content-Type", "text/plain").post("/v1/objectives", "x").isProblem(403, "forbidden");
        viewer.header("Accept", "text/plain").post("/v1/objectives", object()).isProblem(403, "forbidden");
        viewer.put("/v1/objectives/nope", object()).isProblem(403, "forbidden");
        viewer.post("/v1/nothing", object()).isProblem(403, "forbidden");
        viewer.delete("/v1/cycles").isProblem(403, "forbidden");
    }

    @Test
    void the_formats_of_request_and_response_are_checked_before_the_resource() {
        member.put("/v1/objectives/nope", MALFORMED).isMalformed();
        member.put("/v1/objectives/nope", TOO_LARGE).isProblem(413, "body_too_large");
        member.header("Content-Type", "text/plain")
                .put("/v1/objectives/nope", "{}")
                .isProblem(415, "unsupported_media_type");
        member.header("Accept", "text/plain").get("/v1/objectives/nope").isProblem(406, "not_acceptable");
        member.get("/v1/teams/nope/objectives?page=0").isMalformed();
        member.get("/v1/objectives/nope?fields=title").isMalformed();
        member.delete("/v1/objectives/nope?force=true").isMalformed();
        member.put("/v1/objectives/nope?force=true", object()).isMalformed();
    }

    @Test
    void the_resource_is_found_before_ownership_and_fields_are_checked() {
        member.delete("/v1/objectives/nope").isNotFound();
        member.put("/v1/objectives/nope", object("title", 5)).isNotFound();
        member.post("/v1/objectives/nope/key-results", object()).isNotFound();
        member.post("/v1/key-results/nope/check-ins", object()).isNotFound();
    }

    @Test
    void ownership_is_checked_before_fields() {
        var keyResult = newKeyResult(newObjective(), 0, 10);
        var path = Paths.checkIn(keyResult, newCheckIn(keyResult, 5));
        var stranger = acme.user("Mary Jackson", "member").api();
        stranger.put(path, object("value", "5", "x", 1)).isProblem(403, "forbidden");
        member.put(path, object("value", "5", "x", 1)).isInvalid("/value invalid_type", "/x unknown_field");
    }

    @Test
    void the_ownership_that_a_new_owner_or_team_needs_is_checked_before_tags_and_fields() {
        var path = Paths.objective(newObjective());
        var mary = acme.user("Mary Jackson", "member");
        var other = mary.api();
        for (var change : List.of(
                object("owner_id", mary.id()),
                object("team_id", acme.team("Growth").id()),
                object("owner_id", 5),
                object("team_id", "team_nope"))) {
            for (var method : List.of("PUT", "PATCH")) {
                other.send(method, path, with(change, "title", 5)).isProblem(403, "forbidden");
                other.header("If-Match", STALE).send(method, path, change).isProblem(403, "forbidden");
            }
        }
        var same = object("owner_id", acme.memberUser().id(), "team_id", null);
        other.put(path, with(same, "title", 5)).isInvalid("/title invalid_type");
        other.header("If-Match", STALE).put(path, same).isProblem(412, "precondition_failed");
        other.put(path, with(same, "title", "Changed")).is(200);
        member.put(path, object("owner_id", 5)).isInvalid("/owner_id invalid_type");
    }

    @Test
    void fields_are_checked_before_conflicts() {
        var body = Requests.alignment(newObjective(), newObjective());
        member.post("/v1/alignments", body).is(201);
        member.post("/v1/alignments", with(body, "alignment_type", "blocks"))
                .isInvalid("/alignment_type invalid_value");
        member.post("/v1/alignments", with(body, "x", 1)).isInvalid("/x unknown_field");
        member.post("/v1/alignments", body).isProblem(409, "conflict");
    }
}
