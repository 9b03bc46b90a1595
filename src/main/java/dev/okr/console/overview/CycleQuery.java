package dev.okr.console.overview;

import dev.okr.objectives.ObjectiveStatus;
import dev.okr.objectives.overview.CycleObjective;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.Sort;
import dev.okr.platform.http.Text;
import dev.okr.platform.ids.IdKind;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.core.UriBuilder;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The query of the list of a cycle's objectives. A form sends empty values for filters that are not used.
 *
 * @param team the id of a team, {@link #WITHOUT_TEAM} or an empty text
 * @param find a part of the names of the teams and people that the filters offer
 */
public record CycleQuery(
        @Nullable String cycle,
        boolean tree,
        String team,
        String owner,
        String status,
        String text,
        String find,
        Sort sort) {
    static final String PATH = "/settings/overview/objectives";
    static final String WITHOUT_TEAM = "none";
    private static final String TREE = "tree";
    private static final Sort.Column[] SORTS = {
        Sort.Column.CREATED_AT, Sort.Column.UPDATED_AT, Sort.Column.TITLE, Sort.Column.PROGRESS
    };
    private static final int MAX_TEXT_CODE_POINTS = 250;
    private static final Set<String> NAMES =
            Set.of("cycle", "view", "team", "owner", "status", "q", "find", "sort", "page", "per_page");

    /** @throws Failure if a value is wrong */
    static CycleQuery read(MultivaluedMap<String, String> parameters) {
        var query = new CycleQuery(
                value(parameters, "cycle").isEmpty() ? null : value(parameters, "cycle"),
                value(parameters, "view").equals(TREE),
                value(parameters, "team"),
                value(parameters, "owner"),
                value(parameters, "status"),
                value(parameters, "q"),
                value(parameters, "find"),
                sort(value(parameters, "sort")));
        if (!NAMES.containsAll(parameters.keySet())
                || !Text.isClean(query.text)
                || Text.isLonger(query.text, MAX_TEXT_CODE_POINTS)) {
            throw Failure.malformed("The address has a filter that this page does not know.");
        }
        query.filter();
        return query;
    }

    CycleObjective.Filter filter() {
        return new CycleObjective.Filter(
                team.equals(WITHOUT_TEAM) ? null : id(IdKind.TEAM, team),
                team.equals(WITHOUT_TEAM),
                id(IdKind.USER, owner),
                status.isEmpty() ? null : knownStatus(),
                text);
    }

    public boolean isFiltered() {
        return !(team.isEmpty() && owner.isEmpty() && status.isEmpty() && text.isEmpty());
    }

    /** Whether the query has filters that the page shows only on request. */
    public boolean isDetailed() {
        return !(owner.isEmpty() && find.isEmpty());
    }

    /** Whether the table has another order than the newest objective first. */
    public boolean isSorted() {
        return !sort.equals(Sort.NEWEST);
    }

    /** The attribute {@code aria-sort} of a column. Null if the list has another order. */
    public @Nullable String ariaSort(String column) {
        if (!sort.name().equals(column)) {
            return null;
        }
        return sort.descending() ? "descending" : "ascending";
    }

    /** The address of the table ordered by a column. A table that has this order gets the opposite one. */
    public String sortedBy(String column) {
        boolean descending = sort.name().equals(column) ? !sort.descending() : !column.equals("title");
        return address(PATH, false, (descending ? "-" : "") + column);
    }

    /** The address of the same table with the newest objective first. */
    public String unsorted() {
        return address(PATH, false, "");
    }

    /** The address of the same list in the other view. */
    public String otherView() {
        return address(PATH, !tree);
    }

    public String csv() {
        return address(PATH + ".csv", false);
    }

    String address() {
        return address(PATH, tree);
    }

    private String address(String path, boolean asTree) {
        return address(path, asTree, isSorted() ? sort.toString() : "");
    }

    private String address(String path, boolean asTree, String order) {
        var address = UriBuilder.fromPath(path);
        add(address, "cycle", cycle == null ? "" : cycle);
        add(address, "view", asTree ? TREE : "");
        add(address, "team", team);
        add(address, "owner", owner);
        add(address, "status", status);
        add(address, "sort", order);
        // The builder would take braces for its own templates.
        add(address, "q", text.replace("{", "%7B").replace("}", "%7D"));
        return address.build().toString();
    }

    private static void add(UriBuilder address, String name, String value) {
        if (!value.isEmpty()) {
            address.queryParam(name, value);
        }
    }

    private ObjectiveStatus knownStatus() {
        return EnumNames.parse(ObjectiveStatus.class, status)
                .orElseThrow(() -> Failure.malformed("There is no such status."));
    }

    private static Sort sort(String text) {
        return text.isEmpty()
                ? Sort.NEWEST
                : Sort.parse(text, SORTS).orElseThrow(() -> Failure.malformed("There is no such order."));
    }

    private static @Nullable UUID id(IdKind kind, String text) {
        return text.isEmpty()
                ? null
                : kind.parse(text).orElseThrow(() -> Failure.malformed("There is no such " + kind.noun() + '.'));
    }

    private static String value(MultivaluedMap<String, String> parameters, String name) {
        var value = parameters.getFirst(name);
        return value == null ? "" : Text.normalize(value);
    }
}
