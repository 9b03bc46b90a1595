package dev.okr.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.okr.organizations.Role;
import dev.okr.platform.http.RequiredByPath;
import jakarta.ws.rs.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PermissionTest {
    private static final RequiredByPath DECLARED = RequiredByPath.of(new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("dev.okr").stream()
                    .filter(type -> type.isAnnotatedWith(Path.class))
                    .map(JavaClass::reflect));

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
        assertThat(Permission.required(DECLARED, method, path)).isEqualTo(new Permission(scope, role));
    }
}
