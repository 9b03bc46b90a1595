package dev.okr.operations.commands;

import dev.okr.access.Scope;
import dev.okr.organizations.EmailAddress;
import dev.okr.organizations.Plan;
import dev.okr.organizations.Role;
import dev.okr.organizations.Slug;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.time.Timestamps;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts arguments to values. Invalid arguments are usage errors. */
final class Arguments {
    private Arguments() {}

    static void register(CommandLine commands) {
        commands.registerConverter(
                Name.class, converter(Name::parse, "must have 1 to " + Name.MAX_CHARACTERS + " characters"));
        commands.registerConverter(
                EmailAddress.class, converter(EmailAddress::parse, "must be an email address such as ada@acme.test"));
        commands.registerConverter(Slug.class, converter(Slug::parse, Slug.RULE));
        commands.registerConverter(
                Instant.class, converter(Timestamps::parse, "must be a timestamp such as 2027-01-01T00:00:00Z"));
        commands.registerConverter(Plan.class, constant(Plan.class));
        commands.registerConverter(Role.class, constant(Role.class));
        commands.registerConverter(Scope.class, constant(Scope.class));
    }

    private static <E extends Enum<E>> ITypeConverter<E> constant(Class<E> type) {
        return converter(text -> EnumNames.parse(type, text), "must be one of " + EnumNames.names(type));
    }

    private static <T> ITypeConverter<T> converter(Function<String, Optional<T>> parse, String rule) {
        return text -> parse.apply(text).orElseThrow(() -> new TypeConversionException("'" + text + "' " + rule));
    }
}
