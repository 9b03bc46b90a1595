package dev.okr.webhooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quarkus.runtime.configuration.ConfigurationException;
import io.vertx.core.net.ProxyType;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SenderSettingsTest {
    private static SenderSettings settings(Duration requestTimeout, int maxConcurrency, String proxy) {
        return new SenderSettings(
                requestTimeout, maxConcurrency, Optional.of(proxy), Optional.of(" "), "okr-service", "1.2.3");
    }

    private static EgressProxy proxy(String url) {
        return settings(Duration.ofSeconds(15), 512, url).proxy().orElseThrow();
    }

    @Test
    void the_connect_timeout_is_five_seconds_or_the_request_timeout() {
        assertThat(settings(Duration.ofSeconds(15), 1, "").connectTimeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(settings(Duration.ofSeconds(2), 1, "").connectTimeout()).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void blank_values_count_as_unset() {
        var settings = settings(Duration.ofSeconds(15), 512, " ");
        assertThat(settings.proxy()).isEmpty();
        assertThat(settings.tlsConfigurationName()).isEmpty();
        assertThat(settings.userAgent()).isEqualTo("okr-service/1.2.3");
    }

    @ParameterizedTest
    @CsvSource({
        "http://proxy.example:3128, HTTP, proxy.example, 3128,,",
        "http://proxy.example:3128/, HTTP, proxy.example, 3128,,",
        "' http://10.0.0.1:80 ', HTTP, 10.0.0.1, 80,,",
        "socks5://proxy.example:1080, SOCKS5, proxy.example, 1080,,",
        "http://user:pa:ss@proxy.example:3128, HTTP, proxy.example, 3128, user, pa:ss",
        "http://us%40er:p%3A+%2B@proxy.example:3128, HTTP, proxy.example, 3128, us@er, p:++",
    })
    void a_proxy_is_a_url(String url, ProxyType type, String host, int port, String user, String password) {
        assertThat(proxy(url)).isEqualTo(new EgressProxy(type, host, port, user, password));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "proxy.example:3128",
                "proxy.example",
                "http://proxy.example",
                "http://proxy.example:0",
                "http://proxy.example:70000",
                "https://proxy.example:3128",
                "socks4://proxy.example:1080",
                "http://:3128",
                "http://proxy_1:3128",
                "http://user@proxy.example:3128",
                "http://user:@proxy.example:3128",
                "http://:secret@proxy.example:3128",
                "http://user:secret%zz@proxy.example:3128",
                "http://proxy.example:3128/path",
                "http://proxy.example:3128?secret",
                "http://user:secret @proxy.example:3128",
                "mailto:secret@example.com",
            })
    void a_malformed_proxy_prevents_the_start_without_showing_its_password(String url) {
        assertThatThrownBy(() -> proxy(url))
                .isInstanceOf(ConfigurationException.class)
                .hasNoCause()
                .hasMessageStartingWith("okr.webhooks.proxy must be a URL like http://")
                .hasMessageNotContaining("secret");
    }

    @Test
    void a_proxy_keeps_its_password_out_of_logs() {
        assertThat(proxy("http://user:secret@proxy.example:3128")).hasToString("EgressProxy proxy.example:3128");
    }

    @ParameterizedTest
    @CsvSource({"PT0S, 1", "PT-1S, 1", "PT0.0009S, 1", "PT5M1S, 1", "PT15S, 0", "PT15S, -1", "PT15S, 65537"})
    void values_outside_their_range_are_rejected(Duration requestTimeout, int maxConcurrency) {
        assertThatThrownBy(() -> settings(requestTimeout, maxConcurrency, ""))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("okr.webhooks.");
    }
}
