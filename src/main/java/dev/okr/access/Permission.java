package dev.okr.access;

import dev.okr.organizations.Role;
import java.util.Set;

/**
 * The scope and the lowest role that an operation requires. They depend only on the method and the path. The check runs
 * before the operation is found, so that strangers cannot find out which paths exist.
 */
record Permission(Scope scope, Role role) {
    private static final Set<String> READ_METHODS = Set.of("GET", "HEAD", "OPTIONS");

    /** @param path the path after {@code /v1}, with its first slash */
    static Permission required(String method, String path) {
        boolean reading = READ_METHODS.contains(method);
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
