package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RequestGateTest {
    private static final int PLACES = 256;
    private static final int LIMIT = 64;
    private static final int FEW = 8;

    private int used;

    /** Takes places for a new organisation, until it has the wanted number or gets no more. Returns their number. */
    private int fill(int wanted) {
        int own = 0;
        while (own < wanted && used < PLACES && own < RequestGate.maxOfOrganization(PLACES, used, LIMIT)) {
            own++;
            used++;
        }
        return own;
    }

    @Test
    void an_organisation_uses_its_limit_while_no_other_has_requests() {
        assertThat(fill(PLACES)).isEqualTo(LIMIT);
    }

    @Test
    void an_organisation_with_few_requests_gets_places_although_eight_others_take_all_they_can() {
        for (int i = 0; i < 8; i++) {
            fill(PLACES);
        }
        assertThat(fill(FEW)).isEqualTo(FEW);
    }

    @Test
    void a_limit_of_zero_means_no_limit() {
        assertThat(RequestGate.maxOfOrganization(PLACES, PLACES, 0)).isZero();
    }

    @Test
    void requests_leave_connections_for_two_exports_two_imports_and_jobs() {
        assertThat(RequestGate.turns(12)).isEqualTo(7);
        assertThat(RequestGate.turns(2)).isEqualTo(1);
    }
}
