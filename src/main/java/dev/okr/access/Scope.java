package dev.okr.access;

import dev.okr.platform.http.EnumNames;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The scope of an API key. No scope includes another. */
public enum Scope {
    /** All reads except those of webhooks and events. */
    READ,
    /** All writes except those of webhooks. */
    WRITE,
    /** All operations on webhooks and events. */
    WEBHOOKS;

    /** The scopes with these lower-case names. */
    static Set<Scope> parse(Collection<String> names) {
        return names.stream()
                .map(name -> EnumNames.parse(Scope.class, name).orElseThrow())
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Scope.class)));
    }

    /** The lower-case names of scopes, in the order of this enum. */
    static List<String> names(Collection<Scope> scopes) {
        return scopes.stream().sorted().map(EnumNames::format).toList();
    }
}
