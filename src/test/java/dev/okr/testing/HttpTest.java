package dev.okr.testing;

import io.quarkus.test.common.TestResourceScope;
import io.quarkus.test.common.WithTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;

/**
 * What the tests over HTTP have in common: one running service for all of them, and an organisation of their own for
 * each. They know the service by HTTP and its database by JDBC alone, so that they test the packaged application too.
 */
@WithTestResource(value = TestDatabase.class, scope = TestResourceScope.GLOBAL)
public abstract class HttpTest {
    @TestHTTPResource("/")
    protected URI service;

    /** The test's own organisation, with a user of each role. */
    protected TestOrganization acme;

    protected Api admin;
    protected Api member;
    protected Api viewer;

    @BeforeEach
    void found() {
        acme = organization();
        admin = acme.admin();
        member = acme.member();
        viewer = acme.viewer();
    }

    /** Another organisation. */
    protected final TestOrganization organization() {
        return TestOrganization.found(service, "business");
    }

    protected final TestOrganization organization(String plan) {
        return TestOrganization.found(service, plan);
    }

    /** A client without an API key. */
    protected final Api stranger() {
        return Api.of(service);
    }

    /** Creates a cycle and answers its id. */
    protected final String newCycle() {
        return create(admin, "/v1/cycles", Requests.cycle());
    }

    /** Creates an objective of the member's. */
    protected final String newObjective() {
        return newObjective(newCycle());
    }

    protected final String newObjective(String cycle) {
        return create(member, "/v1/objectives", Requests.objective(cycle));
    }

    protected final String newKeyResult(String objective, Object start, Object target) {
        return create(member, Paths.keyResults(objective), Requests.keyResult(start, target));
    }

    protected final String newCheckIn(String keyResult, Object value) {
        return create(member, Paths.checkIns(keyResult), Requests.checkIn(value));
    }

    protected final String newAlignment(String parent, String child) {
        return create(member, "/v1/alignments", Requests.alignment(parent, child));
    }

    private static String create(Api api, String path, Map<String, Object> body) {
        return api.post(path, body).is(201).id();
    }
}
