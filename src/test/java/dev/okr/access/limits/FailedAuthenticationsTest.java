package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FailedAuthenticationsTest {
    @Test
    void an_ipv4_address_is_one_client() {
        assertThat(FailedAuthentications.network("192.0.2.1"))
                .isEqualTo(FailedAuthentications.network("::ffff:192.0.2.1"));
        assertThat(FailedAuthentications.network("192.0.2.1")).isNotEqualTo(FailedAuthentications.network("192.0.2.2"));
    }

    @Test
    void an_ipv6_network_of_64_bits_is_one_client() {
        assertThat(FailedAuthentications.network("2001:db8:0:1::1"))
                .isEqualTo(FailedAuthentications.network("2001:db8:0:1:ffff:ffff:ffff:ffff"));
        assertThat(FailedAuthentications.network("2001:db8:0:1::1"))
                .isNotEqualTo(FailedAuthentications.network("2001:db8:0:2::1"));
        assertThat(FailedAuthentications.network("fe80::1%eth0")).isEqualTo(FailedAuthentications.network("fe80::2"));
    }

    @Test
    void text_that_is_not_an_address_is_used_unchanged() {
        assertThat(FailedAuthentications.network("_hidden")).isEqualTo("_hidden");
        assertThat(FailedAuthentications.network("x".repeat(10_000))).hasSizeLessThan(100);
        assertThat(FailedAuthentications.network(null)).isEmpty();
    }
}
