package dev.okr.access;

import dev.okr.platform.http.Constants;
import dev.okr.organizations.Role;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Says in words what an operation asks of its caller; the OpenAPI document tells it of each. */
public final class RequiredRights {
    private RequiredRights() {}

    /**
     * The sentence about one operation.
     *
     * @param path the operation's path below {@code /v1}, beginning with a slash
     */
    public static String of(String method, String path) {
        var required = Permission.required(method, path);
        var roles = Arrays.stream(Role.values())
                .filter(role -> role.includes(required.role()))
                .map(role -> '`' + Constants.format(role) + '`')
                .collect(Collectors.joining(" or "));
        var scope = '`' + Constants.format(required.scope()) + '`';
        return required.role() == Role.VIEWER
                ? "Needs the scope %s; every role will do.".formatted(scope)
                : "Needs the scope %s and the role %s.".formatted(scope, roles);
    }
}
