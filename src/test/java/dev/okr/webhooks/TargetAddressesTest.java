package dev.okr.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TargetAddressesTest {
    private final TargetAddresses addresses = new TargetAddresses(List.of());

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.0.0.1",
                "8.8.8.8",
                "9.255.255.255",
                "11.0.0.0",
                "100.63.255.255",
                "100.128.0.0",
                "126.255.255.255",
                "128.0.0.0",
                "169.253.255.255",
                "169.255.0.0",
                "172.15.255.255",
                "172.32.0.0",
                "191.255.255.255",
                "192.0.0.9",
                "192.0.0.10",
                "192.0.1.0",
                "192.0.3.0",
                "192.31.196.1",
                "192.52.193.1",
                "192.88.98.255",
                "192.88.100.0",
                "192.167.255.255",
                "192.169.0.0",
                "192.175.48.1",
                "198.17.255.255",
                "198.20.0.0",
                "198.51.99.255",
                "203.0.112.255",
                "203.0.114.0",
                "223.255.255.255",
            })
    void public_ipv4_addresses_are_allowed(String address) {
        assertThat(addresses.allows(InetAddress.ofLiteral(address))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "0.255.255.255",
                "10.0.0.0",
                "10.255.255.255",
                "100.64.0.0",
                "100.127.255.255",
                "127.0.0.1",
                "127.255.255.255",
                "169.254.0.0",
                "169.254.169.254",
                "169.254.255.255",
                "172.16.0.0",
                "172.31.255.255",
                "192.0.0.0",
                "192.0.0.8",
                "192.0.0.11",
                "192.0.0.170",
                "192.0.0.171",
                "192.0.0.255",
                "192.0.2.1",
                "192.88.99.1",
                "192.88.99.2",
                "192.168.0.0",
                "192.168.255.255",
                "198.18.0.0",
                "198.19.255.255",
                "198.51.100.1",
                "203.0.113.1",
                "224.0.0.1",
                "239.255.255.255",
                "240.0.0.1",
                "255.255.255.254",
                "255.255.255.255",
            })
    void special_ipv4_addresses_are_refused(String address) {
        assertThat(addresses.allows(InetAddress.ofLiteral(address))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2000::1",
                "2001:1::1",
                "2001:1::2",
                "2001:1::3",
                "2001:3::1",
                "2001:4:112::1",
                "2001:20::1",
                "2001:2f:ffff::",
                "2001:30::1",
                "2001:200::1",
                "2001:4860:4860::8888",
                "2606:4700:4700::1111",
                "2620:4f:8000::1",
                "2a00:1450::1",
                "3ffe::1",
                "3fff:1000::1",
                "3fff:ffff::1",
            })
    void public_ipv6_addresses_are_allowed(String address) {
        assertThat(addresses.allows(InetAddress.ofLiteral(address))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "::",
                "::1",
                "::2",
                "64:ff9b:1::1",
                "64:ff9b:1:ffff::808:808",
                "100::1",
                "100:0:0:1::1",
                "100:0:0:2::1",
                "200::1",
                "1fff::1",
                "2001:1::",
                "2001:1::4",
                "2001:2::1",
                "2001:4:111::1",
                "2001:10::1",
                "2001:1f:ffff::",
                "2001:40::1",
                "2001:1ff:ffff::",
                "2001:db8::1",
                "2001:db8:ffff::1",
                "3fff::1",
                "3fff:fff:ffff::1",
                "4000::1",
                "5f00::1",
                "8000::1",
                "fc00::1",
                "fd00:ec2::254",
                "fdff::1",
                "fe80::1",
                "febf::1",
                "fec0::1",
                "ff00::1",
                "ff02::1",
                "ff0e::1",
            })
    void special_ipv6_addresses_are_refused(String address) {
        assertThat(addresses.allows(InetAddress.ofLiteral(address))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "::ffff:127.0.0.1", // mapped
                "::ffff:a9fe:a9fe",
                "::127.0.0.1", // compatible
                "::8.8.8.8",
                "64:ff9b::127.0.0.1", // NAT64
                "64:ff9b::a9fe:a9fe",
                "64:ff9b::192.168.0.1",
                "2002:7f00:1::1", // 6to4
                "2002:a9fe:a9fe::",
                "2002:c0a8:101::1",
                "2001:0:7f00:1:0:0:f7f7:f7f7", // Teredo: its server
                "2001:0:808:808:0:0:80ff:fffe", // Teredo: its client, 127.0.0.1 inverted
                "2001:0:808:808:0:0:5601:5601", // Teredo: its client, 169.254.169.254 inverted
            })
    void an_ipv6_address_that_embeds_a_refused_ipv4_address_is_refused(String address) {
        assertThat(addresses.allows(InetAddress.ofLiteral(address))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "::ffff:8.8.8.8",
                "64:ff9b::8.8.8.8",
                "2002:808:808::1",
                "2001:0:808:808:0:0:f7f7:f7f7", // 8.8.8.8 as server and, inverted, as client
            })
    void an_ipv6_address_may_embed_a_public_ipv4_address(String address) {
        assertThat(addresses.allows(InetAddress.ofLiteral(address))).isTrue();
    }

    @Test
    void an_ipv4_mapped_address_in_ipv6_form_is_refused() throws UnknownHostException {
        var bytes = new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 127, 0, 0, 1};
        assertThat(addresses.allows(Inet6Address.getByAddress(null, bytes, 0))).isFalse();
    }

    @Test
    void an_exempt_network_allows_only_its_own_addresses() {
        var exempting = new TargetAddresses(
                Stream.of("10.1.0.0/16", "fd00::/8").map(Network::parse).toList());
        assertThat(exempting.allows(InetAddress.ofLiteral("10.1.2.3"))).isTrue();
        assertThat(exempting.allows(InetAddress.ofLiteral("fd12::1"))).isTrue();
        assertThat(exempting.allows(InetAddress.ofLiteral("8.8.8.8"))).isTrue();
        assertThat(exempting.allows(InetAddress.ofLiteral("10.2.0.0"))).isFalse();
        assertThat(exempting.allows(InetAddress.ofLiteral("127.0.0.1"))).isFalse();
        assertThat(exempting.allows(InetAddress.ofLiteral("64:ff9b::10.1.2.3"))).isFalse();
    }
}
