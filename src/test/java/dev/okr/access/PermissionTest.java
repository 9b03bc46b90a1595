package dev.okr.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.organizations.Role;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PermissionTest {

    @ParameterizedTest
    @CsvSource({
        "GET, /objectives, READ, VIEWER",
        "HEAD, /objectives/x, READ, VIEWER",
        "OPTIONS, /objectives, READ, VIEWER",
        "POST, /objectives, WRITE, MEMBER",
        "PUT, /objectives/x, WRITE, MEMBER",
        "DELETE, /objectives/x, WRITE, MEMBER",
        "PATCH, /objectives/x, WRITE, MEMBER",
        "POST, /objectives/x/key-results, WRITE, MEMBER",
        "POST, /key-results/x/check-ins, WRITE, MEMBER",
        "POST, /alignments, WRITE, MEMBER",
        "DELETE, /alignments/x, WRITE, MEMBER",
        "GET, /cycles, READ, VIEWER",
        "POST, /cycles, WRITE, ADMIN",
        "PUT, /cycles/x, WRITE, ADMIN",
        "GET, /teams, READ, VIEWER",
        "GET, /users/me, READ, VIEWER",
        "GET, /webhooks, WEBHOOKS, ADMIN",
        "POST, /webhooks, WEBHOOKS, ADMIN",
        "DELETE, /webhooks/x, WEBHOOKS, ADMIN",
        "POST, /webhooks/x/ping, WEBHOOKS, ADMIN",
        "GET, /events, WEBHOOKS, ADMIN",
        "OPTIONS, /webhooks, WEBHOOKS, ADMIN",
        "GET, '', READ, VIEWER",
        "GET, /, READ, VIEWER",
        "POST, /nothing, WRITE, MEMBER",
        "get, /objectives, WRITE, MEMBER"
    })
    void an_operation_requires_a_scope_and_a_role(String method, String path, Scope scope, Role role) {
        assertThat(Permission.required(method, path)).isEqualTo(new Permission(scope, role));
    }
}
