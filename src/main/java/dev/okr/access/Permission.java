package dev.okr.access;

import dev.okr.organizations.Role;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.RequiredByPath;
import dev.okr.platform.http.Right;
import java.util.Optional;
import java.util.Set;

/**
 * The permission that an operation requires. It depends only on the method and on the first segment of the path below
 * {@code /v1}. The check runs before the operation is looked up. So callers without permission cannot learn which paths
 * exist.
 *
 * @param scope the scope that the key must have
 * @param role the lowest role that the key's user must have
 */
record Permission(Scope scope, Role role) {
    private static final Set<String> READ_METHODS = Set.of("GET", "HEAD", "OPTIONS");

    /** @param path the path after {@code /v1}, with its first slash */
    static Permission required(String method, String path) {
        return required(RequiredByPath.served(), method, path);
    }

    static Permission required(RequiredByPath declared, String method, String path) {
        boolean reading = READ_METHODS.contains(method);
        // Without a declaration there is no operation. The response is then a 404.
        return of(declared.find(path)
                .map(requires -> reading ? requires.toRead() : requires.toWrite())
                .orElse(reading ? Right.READ : Right.WRITE));
    }

    /** Why a key lacks the permission. Empty if it has it. */
    Optional<Failure> refusal(ApiKeyCache.Key key) {
        if (!key.scopes().contains(scope)) {
            return Optional.of(Failure.missingScope(EnumNames.format(scope)));
        }
        return key.role().includes(role) ? Optional.empty() : Optional.of(Failure.missingRole(EnumNames.format(role)));
    }

    static Permission of(Right right) {
        return switch (right) {
            case READ -> new Permission(Scope.READ, Role.VIEWER);
            case WRITE -> new Permission(Scope.WRITE, Role.MEMBER);
            case READ_EVERYTHING -> new Permission(Scope.READ, Role.ADMIN);
            case ADMINISTER -> new Permission(Scope.WRITE, Role.ADMIN);
            case MANAGE_WEBHOOKS -> new Permission(Scope.WEBHOOKS, Role.ADMIN);
        };
    }
}
