package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ClientNetworkTest {
    @Test
    void an_ipv4_address_is_one_client() {
        assertThat(ClientNetwork.of("192.0.2.1")).isEqualTo(ClientNetwork.of("::ffff:192.0.2.1"));
        assertThat(ClientNetwork.of("192.0.2.1")).isNotEqualTo(ClientNetwork.of("192.0.2.2"));
    }

    @Test
    void an_ipv6_network_of_64_bits_is_one_client() {
        assertThat(ClientNetwork.of("2001:db8:0:1::1")).isEqualTo(ClientNetwork.of("2001:db8:0:1:ffff:ffff:ffff:ffff"));
        assertThat(ClientNetwork.of("2001:db8:0:1::1")).isNotEqualTo(ClientNetwork.of("2001:db8:0:2::1"));
        assertThat(ClientNetwork.of("fe80::1%eth0")).isEqualTo(ClientNetwork.of("fe80::2"));
    }

    @Test
    void text_that_is_not_an_address_is_used_unchanged() {
        assertThat(ClientNetwork.of("_hidden")).isEqualTo("_hidden");
        assertThat(ClientNetwork.of("x".repeat(10_000))).hasSizeLessThan(100);
        assertThat(ClientNetwork.of(null)).isEmpty();
    }
}
