package dev.okr.webhooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NetworkTest {

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.0.0.0, true",
        "10.0.0.0/8, 10.255.255.255, true",
        "10.0.0.0/8, 11.0.0.0, false",
        "172.16.0.0/12, 172.31.255.255, true",
        "172.16.0.0/12, 172.32.0.0, false",
        "192.168.1.7/32, 192.168.1.7, true",
        "192.168.1.7/32, 192.168.1.6, false",
        "0.0.0.0/0, 8.8.8.8, true",
        "0.0.0.0/0, 2001:db8::1, false",
        "fd00::/8, fdff::1, true",
        "fd00::/8, fc00::1, false",
        "::1/128, ::1, true",
        "::/0, 10.0.0.1, false",
    })
    void a_network_contains_the_addresses_with_its_prefix(String cidr, String address, boolean contained) {
        assertThat(Network.parse(cidr).contains(InetAddress.ofLiteral(address).getAddress()))
                .isEqualTo(contained);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "10.0.0.0",
                "10.0.0.0/",
                "10.0.0.0/33",
                "10.0.0.0/-1",
                "10.0.0.0/8/8",
                "10.0.0/8",
                "010.0.0.0/8",
                "10.0.0.0/a",
                "10.0.0.0 /8",
                "::/129",
                "fe80::%1/64",
                "[::1]/128",
                "localhost/8",
                "example.com/8",
                "10.0.0.0/255.0.0.0",
                "10.0.0.0/999",
                "::ffff:10.0.0.0/104",
                "*",
                "10.0.0.0/٨",
            })
    void a_malformed_network_is_rejected_and_quoted(String text) {
        assertThatThrownBy(() -> Network.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith('"' + text + "\" is not a network");
    }

    @Test
    void an_address_inside_a_network_is_rejected() {
        assertThatThrownBy(() -> Network.parse("10.0.0.1/8"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must start with the network's first address");
    }
}
