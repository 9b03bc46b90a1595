package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BudgetTest {
    private static final String ONE = "one";
    private static final String OTHER = "other";

    private final Budget<String> budget = new Budget<>(10, 20);

    @Test
    void a_large_amount_fits_only_beside_the_amounts_of_others() {
        budget.force(ONE, 15);
        assertThat(budget.hasRoomBesideOthers(OTHER, 5)).isTrue();
        assertThat(budget.hasRoomBesideOthers(OTHER, 6)).isFalse();
        assertThat(budget.hasRoom(OTHER, 6)).isTrue();
    }

    @Test
    void any_large_amount_fits_if_nothing_is_used() {
        budget.force(ONE, 15);
        budget.release(ONE, 15);
        assertThat(budget.hasRoomBesideOthers(OTHER, 30)).isTrue();
    }

    @Test
    void a_holder_has_room_only_in_its_own_part() {
        budget.force(ONE, 8);
        assertThat(budget.hasRoomBesideOthers(ONE, 2)).isTrue();
        assertThat(budget.hasRoomBesideOthers(ONE, 3)).isFalse();
    }
}
