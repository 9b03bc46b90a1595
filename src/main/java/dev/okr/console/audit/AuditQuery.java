package dev.okr.console.audit;

import dev.okr.organizations.UserProfile;
import dev.okr.organizations.audit.AuditAction;
import dev.okr.organizations.audit.AuditFilter;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import jakarta.ws.rs.core.UriInfo;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The filters of the audit log, as the form sends them. An empty text filters nothing.
 *
 * @param what the name of an action, or of the kind of subject
 * @param who a part of the name or email address of the person who acted
 * @param from the first day, in UTC
 * @param to the last day, in UTC
 */
public record AuditQuery(String what, String who, String from, String to) {
    static final String BEFORE = "before";

    private static final String WHAT = "what";
    private static final String WHO = "who";
    private static final String FROM = "from";
    private static final String TO = "to";
    private static final int MAX_PEOPLE = 1_000;
    private static final Pattern DAY = Pattern.compile("\\d{4}-\\d{2}-\\d{2}");

    /** A user that does not exist. It stands for a search that finds nobody. */
    private static final UUID NOBODY = new UUID(0, 0);

    static AuditQuery of(UriInfo uri) {
        var parameters = uri.getQueryParameters();
        return new AuditQuery(
                Objects.requireNonNullElse(parameters.getFirst(WHAT), ""),
                Objects.requireNonNullElse(parameters.getFirst(WHO), "").strip(),
                Objects.requireNonNullElse(parameters.getFirst(FROM), ""),
                Objects.requireNonNullElse(parameters.getFirst(TO), ""));
    }

    public boolean isEmpty() {
        return what.isEmpty() && who.isEmpty() && from.isEmpty() && to.isEmpty();
    }

    /** @throws Failure if a filter is malformed, or too many people match */
    AuditFilter filter() {
        var last = day(TO, to);
        return new AuditFilter(
                actions(), people(), start(day(FROM, from)), last == null ? null : start(last.plusDays(1)));
    }

    /** The address of a page with these filters. */
    String address(String path, @Nullable UUID before) {
        var parameters = Stream.of(
                        parameter(WHAT, what),
                        parameter(WHO, who),
                        parameter(FROM, from),
                        parameter(TO, to),
                        parameter(BEFORE, before == null ? "" : before.toString()))
                .filter(each -> !each.isEmpty())
                .collect(Collectors.joining("&"));
        return parameters.isEmpty() ? path : path + '?' + parameters;
    }

    private static String parameter(String name, String value) {
        return value.isEmpty() ? "" : name + '=' + URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    private @Nullable List<AuditAction> actions() {
        if (what.isEmpty()) {
            return null;
        }
        var actions = EnumNames.parse(AuditAction.class, what)
                .map(List::of)
                .or(() -> EnumNames.parse(IdKind.class, what).map(AuditOptions::actions))
                .orElse(List.of());
        if (actions.isEmpty()) {
            throw Failure.malformed("The audit log has no such action.");
        }
        return actions;
    }

    private @Nullable List<UUID> people() {
        if (who.isEmpty()) {
            return null;
        }
        var found = UserProfile.search(who, false, MAX_PEOPLE + 1).stream()
                .map(UserProfile::id)
                .toList();
        if (found.size() > MAX_PEOPLE) {
            throw Failure.malformed("More than %d people match. Enter more of the name.".formatted(MAX_PEOPLE));
        }
        return found.isEmpty() ? List.of(NOBODY) : found;
    }

    private static @Nullable LocalDate day(String name, String text) {
        if (text.isEmpty()) {
            return null;
        }
        try {
            if (DAY.matcher(text).matches()) {
                return LocalDate.parse(text);
            }
        } catch (DateTimeParseException notOnTheCalendar) {
            // Reported below.
        }
        throw Failure.malformed("The date in the field %s must have the form 2027-01-31.".formatted(name));
    }

    private static @Nullable Instant start(@Nullable LocalDate day) {
        return day == null ? null : day.atStartOfDay(ZoneOffset.UTC).toInstant();
    }
}
