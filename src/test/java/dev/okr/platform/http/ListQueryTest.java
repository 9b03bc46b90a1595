package dev.okr.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.ids.IdKind;
import jakarta.ws.rs.core.UriInfo;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jboss.resteasy.reactive.common.util.QuarkusMultivaluedHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ListQueryTest {
    private static final UUID ID = UUID.fromString("01890a5d-ac96-774b-bcce-b302099a8057");

    @Test
    void the_default_is_the_first_25() {
        var query = ListQuery.newestFirst(uri(""));
        assertThat(query.page()).isEqualTo(1);
        assertThat(query.perPage()).isEqualTo(25);
        assertThat(query.offset()).isZero();
        assertThat(query.byCursor()).isFalse();
    }

    @Test
    void offsets_are_larger_than_an_int() {
        var query = ListQuery.newestFirst(uri("page=2147483647&per_page=100"));
        assertThat(query.offset()).isEqualTo(2_147_483_646L * 100);
    }

    @Test
    void more_than_100_per_page_is_100() {
        assertThat(ListQuery.byName(uri("per_page=" + "9".repeat(1000))).perPage())
                .isEqualTo(100);
        assertThat(ListQuery.byName(uri("per_page=101")).perPage()).isEqualTo(100);
        assertThat(ListQuery.byName(uri("per_page=007")).perPage()).isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "page=0",
                "page=-1",
                "page=2147483648",
                "page=",
                "page=x",
                "page=١",
                "per_page=0",
                "per_page=-1",
                "per_page=1.5",
                "page=1&page=1",
                "cursor=x",
                "cursor=&page=1",
                "team=x",
                "team_id=a&team_id=b",
                "TEAM_ID=a"
            })
    void values_out_of_range_and_unknown_parameters_are_malformed(String query) {
        assertThatThrownBy(() -> ListQuery.newestFirst(uri(query), "team_id"))
                .isInstanceOfSatisfying(
                        Failure.class, failure -> assertThat(failure.code()).isEqualTo(ErrorCode.MALFORMED_REQUEST));
    }

    @Test
    void a_list_by_name_has_no_cursor() {
        assertThatThrownBy(() -> ListQuery.byName(uri("cursor="))).isInstanceOf(Failure.class);
    }

    @Test
    void an_id_of_another_kind_matches_nothing() {
        var query = ListQuery.newestFirst(uri("team_id=" + IdKind.CYCLE.format(ID)), "team_id", "cycle_id");
        assertThat(query.id("team_id", IdKind.TEAM)).isEqualTo(new UUID(0, 0));
        assertThat(query.id("cycle_id", IdKind.CYCLE)).isNull();
        var right = ListQuery.newestFirst(uri("team_id=" + IdKind.TEAM.format(ID)), "team_id");
        assertThat(right.id("team_id", IdKind.TEAM)).isEqualTo(ID);
    }

    @Test
    void a_slice_has_a_next_cursor_only_if_there_are_more_items() {
        var query = ListQuery.newestFirst(uri("cursor=&per_page=2"));
        var moment = Instant.parse("2026-01-31T09:30:00Z");
        var last = query.slice(List.of(ID, ID), 2, id -> moment, id -> id);
        assertThat(last.nextCursor()).isNull();
        var first = query.slice(List.of(ID, ID, ID), 3, id -> moment, id -> id);
        assertThat(first.items()).hasSize(2);
        assertThat(Cursor.parse(String.valueOf(first.nextCursor()), Sort.NEWEST))
                .isEqualTo(new Cursor(2, Sort.NEWEST, moment, ID));
    }

    @Test
    void a_filter_can_list_several_constants() {
        var query = ListQuery.newestFirst(uri("column=title,progress,title"), "column", "other");
        assertThat(query.constants("column", Sort.Column.class))
                .containsExactly(Sort.Column.TITLE, Sort.Column.PROGRESS);
        assertThat(query.constants("other", Sort.Column.class)).isNull();
        for (var wrong : List.of("", "title,", ",title", "title,,progress", "TITLE", "title, progress")) {
            var refused = ListQuery.newestFirst(uri("column=" + wrong), "column");
            assertThatThrownBy(() -> refused.constants("column", Sort.Column.class))
                    .isInstanceOf(Failure.class);
        }
    }

    @Test
    void the_order_can_be_chosen_if_the_list_allows_it() {
        assertThat(ListQuery.newestFirst(uri("sort=-title"), "sort").sort())
                .isEqualTo(new Sort(Sort.Column.TITLE, true));
        assertThat(ListQuery.newestFirst(uri("sort=-created_at"), "sort").sort())
                .isEqualTo(Sort.NEWEST);
        for (var wrong :
                List.of("sort=", "sort=-", "sort=--title", "sort=recorded_at", "sort=Title", "sort=title,id")) {
            assertThatThrownBy(() -> ListQuery.newestFirst(uri(wrong), "sort")).isInstanceOf(Failure.class);
        }
        assertThatThrownBy(() -> ListQuery.newestFirst(uri("sort=title"))).isInstanceOf(Failure.class);
    }

    @Test
    void links_contain_only_existing_pages() {
        var query = ListQuery.newestFirst(uri("page=9&per_page=2&team_id=a+%26b"), "team_id");
        assertThat(query.links(new Slice<>(List.of(), 5, null)))
                .isEqualTo("</v1/things?page=1&per_page=2&team_id=a+%26b>; rel=\"first\","
                        + " </v1/things?page=3&per_page=2&team_id=a+%26b>; rel=\"prev\","
                        + " </v1/things?page=3&per_page=2&team_id=a+%26b>; rel=\"last\"");
    }

    /** A fake of the request's URL. */
    private static UriInfo uri(String query) {
        var parameters = new QuarkusMultivaluedHashMap<String, String>();
        for (var parameter : query.split("&")) {
            var parts = parameter.split("=", 2);
            if (parts.length == 2) {
                parameters.add(parts[0], URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
            }
        }
        var address = URI.create("http://localhost/v1/things");
        return (UriInfo) Proxy.newProxyInstance(
                UriInfo.class.getClassLoader(),
                new Class<?>[] {UriInfo.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "getRequestUri" -> address;
                    case "getQueryParameters" -> parameters;
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }
}
