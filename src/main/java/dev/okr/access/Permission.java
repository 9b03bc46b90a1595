package dev.okr.access;

import dev.okr.organizations.Role;
import java.util.Set;

/**
 * What an operation asks of its caller, read off method and path alone: it is decided before the operation is
 * looked up, so that a stranger cannot tell paths that exist from paths that do not.
 *
 * @param scope the scope that the key must have
 * @param role the least role that the key's user must have
 */
record Permission(Scope scope, Role role) {
    private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");

    /** @param path the path below {@code /v1}, beginning with a slash */
    static Permission required(String method, String path) {
        boolean reading = READING.contains(method);
        return switch (collection(path)) {
            case "webhooks", "events" -> new Permission(Scope.WEBHOOKS, Role.ADMIN);
            case "cycles" ->
                reading ? new Permission(Scope.READ, Role.VIEWER) : new Permission(Scope.WRITE, Role.ADMIN);
            default -> reading ? new Permission(Scope.READ, Role.VIEWER) : new Permission(Scope.WRITE, Role.MEMBER);
        };
    }

    private static String collection(String path) {
        var segments = path.split("/", 3);
        return segments.length < 2 ? "" : segments[1];
    }
}
