package dev.okr.webhooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.okr.platform.errors.FieldError;
import io.quarkus.runtime.configuration.ConfigurationException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TargetsTest {
    private final List<String> resolved = new ArrayList<>();
    private final Map<String, List<String>> names = Map.of(
            "public.example", List.of("93.184.215.14", "2606:2800:21f:cb07::1"),
            "private.example", List.of("10.0.0.1"),
            "metadata.example", List.of("169.254.169.254"),
            "mixed.example", List.of("93.184.215.14", "10.0.0.1"),
            "mixed6.example", List.of("93.184.215.14", "fd00::1"),
            "localhost", List.of("127.0.0.1", "::1"),
            "odd.localhost", List.of("93.184.215.14"));

    private static final UUID ORGANIZATION = new UUID(0, 1);

    private final Targets strict = targets();

    @Test
    void a_name_with_public_addresses_is_a_valid_target() {
        assertThat(strict.refusal("https://public.example/hooks", ORGANIZATION)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"private.example", "metadata.example", "mixed.example", "mixed6.example"})
    void every_address_of_a_name_must_be_allowed(String name) {
        assertThat(code(strict, "https://" + name)).isEqualTo("address_not_allowed");
    }

    @Test
    void a_refusal_names_no_address() {
        assertThat(strict.refusal("https://private.example", ORGANIZATION)
                        .orElseThrow()
                        .detail())
                .doesNotContain("10.0.0.1");
    }

    @Test
    void a_name_that_does_not_resolve_is_refused() {
        assertThat(strict.refusal("https://nowhere.example", ORGANIZATION))
                .contains(new FieldError("/url", "unresolvable_host", "The host name does not resolve."));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://127.0.0.1",
                "https://[::1]",
                "https://[::ffff:127.0.0.1]",
                "https://[::ffff:7f00:1]",
                "https://169.254.169.254/latest/meta-data",
                "https://[64:ff9b::a9fe:a9fe]",
                "https://[2002:7f00:1::]",
                "https://[fe80::1]",
                "https://0.0.0.0",
                "https://[::]",
                "https://255.255.255.255",
                "https://224.0.0.1",
            })
    void an_address_is_checked_without_the_resolver(String url) {
        assertThat(code(strict, url)).isEqualTo("address_not_allowed");
        assertThat(resolved).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://localhost", "https://LOCALHOST.:8443/", "https://odd.localhost"})
    void localhost_is_refused_without_the_resolver(String url) {
        assertThat(code(strict, url)).isEqualTo("host_not_allowed");
        assertThat(resolved).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://2130706433", "http://public.example", "https://user@public.example", "nonsense"})
    void a_malformed_url_is_refused_without_the_resolver(String url) {
        assertThat(strict.refusal(url, ORGANIZATION)).isPresent();
        assertThat(resolved).isEmpty();
    }

    @Test
    void a_hostile_url_is_refused_even_if_loopback_is_exempt() {
        var lenient = targets("127.0.0.1/32", "::1/128");
        for (var url : HostileTargets.URLS) {
            assertThat(strict.refusal(url, ORGANIZATION)).as(url).isPresent();
            assertThat(lenient.refusal(url, ORGANIZATION)).as(url).isPresent();
        }
        assertThat(resolved).isEmpty();
    }

    @Test
    void the_returned_target_is_the_one_that_was_checked() throws RefusedTarget {
        assertThat(strict.check("https://PUBLIC.example./a?b", ORGANIZATION)
                        .url()
                        .requestTarget())
                .isEqualTo("/a?b");
        assertThat(resolved).containsExactly("public.example");
        assertThatThrownBy(() -> strict.check("https://private.example", ORGANIZATION))
                .isInstanceOf(RefusedTarget.class)
                .hasMessageContaining("not on the public internet");
    }

    @Test
    void exempt_networks_are_allowed_by_address_and_by_name() {
        var lenient = targets("10.0.0.0/8", "127.0.0.0/8", "::1/128");
        assertThat(Stream.of(
                                "https://10.9.8.7",
                                "https://private.example",
                                "https://mixed.example",
                                "https://localhost:9000",
                                "https://127.0.0.1",
                                "https://[::ffff:127.0.0.1]",
                                "https://[::1]")
                        .flatMap(url -> lenient.refusal(url, ORGANIZATION).stream()))
                .isEmpty();
        assertThat(code(lenient, "https://metadata.example")).isEqualTo("address_not_allowed");
        assertThat(code(lenient, "https://mixed6.example")).isEqualTo("address_not_allowed");
        assertThat(code(lenient, "https://2130706433")).isEqualTo("host_not_allowed");
    }

    @Test
    void localhost_is_allowed_only_if_all_its_addresses_are_exempt() {
        assertThat(code(targets("10.0.0.0/8"), "https://localhost")).isEqualTo("host_not_allowed");
        assertThat(code(targets("127.0.0.0/8"), "https://localhost")).isEqualTo("host_not_allowed");
        assertThat(code(targets("127.0.0.0/8"), "https://odd.localhost")).isEqualTo("host_not_allowed");
        assertThat(targets("127.0.0.0/8", "::1/128").refusal("https://localhost", ORGANIZATION))
                .isEmpty();
    }

    @Test
    void configuration_can_allow_http() {
        assertThat(code(strict, "http://public.example")).isEqualTo("scheme_not_allowed");
        assertThat(new Targets(true, Optional.empty(), this::resolve).refusal("http://public.example", ORGANIZATION))
                .isEmpty();
    }

    @Test
    void a_malformed_network_prevents_the_start_and_names_the_property() {
        assertThatThrownBy(() -> targets("10.0.0.0/8", "10.0.0.0/99"))
                .isInstanceOf(ConfigurationException.class)
                .hasNoCause()
                .hasMessage("okr.webhooks.allowed-networks: \"10.0.0.0/99\" is not a network. "
                        + "Use one like 10.0.0.0/8 or fd00::/8");
    }

    @Test
    void blanks_in_the_list_of_networks_are_ignored() {
        assertThat(targets(" 10.0.0.0/8 ", "", " ").refusal("https://10.0.0.1", ORGANIZATION))
                .isEmpty();
    }

    private static String code(Targets targets, String url) {
        return targets.refusal(url, ORGANIZATION).map(FieldError::code).orElse("none");
    }

    private Targets targets(String... networks) {
        return new Targets(false, Optional.of(List.of(networks)), this::resolve);
    }

    private List<InetAddress> resolve(String name, UUID organizationId) throws UnknownHostException {
        resolved.add(name);
        if (!names.containsKey(name)) {
            throw new UnknownHostException(name);
        }
        return names.get(name).stream().map(InetAddress::ofLiteral).toList();
    }
}
