package dev.okr.webhooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TargetUrlTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "https://example.com example.com 443 /",
                "https://example.com/ example.com 443 /",
                "HTTPS://EXAMPLE.Com/Hooks example.com 443 /Hooks",
                "https://example.com./hooks example.com 443 /hooks",
                "https://example.com:8443/hooks?a=b&c[]=%20d example.com 8443 /hooks?a=b&c[]=%20d",
                "https://example.com?a=b example.com 443 /?a=b",
                "https://example.com/a@b:c/;d=e,f example.com 443 /a@b:c/;d=e,f",
                "https://example.com//two example.com 443 //two",
                "https://example.com/? example.com 443 /?",
                "https://example.com:1/ example.com 1 /",
                "https://example.com:65535/ example.com 65535 /",
                "https://hooks/ hooks 443 /",
                "https://1e100.net/ 1e100.net 443 /",
                "https://0x7f.example/ 0x7f.example 443 /",
                "https://127.0.0.1.example/ 127.0.0.1.example 443 /",
                "https://7f000001/ 7f000001 443 /",
                "https://localhost.example/ localhost.example 443 /",
                "https://mylocalhost/ mylocalhost 443 /",
                "https://bücher.example/ xn--bcher-kva.example 443 /",
                "https://xn--bcher-kva.example/ xn--bcher-kva.example 443 /",
                "https://BÜCHER.example/ xn--bcher-kva.example 443 /",
                "https://例え。テスト/ xn--r8jz45g.xn--zckzah 443 /",
                "https://ｅxample．com/ example.com 443 /",
                "https://93.184.215.14/ 93.184.215.14 443 /",
                "https://0.0.0.0:9/ 0.0.0.0 9 /",
                "https://255.255.255.255/ 255.255.255.255 443 /",
                "https://[2001:4860:4860::8888]/ 2001:4860:4860::8888 443 /",
                "https://[2001:4860:4860::8888]:8443/x 2001:4860:4860::8888 8443 /x",
                "https://[2001:4860:4860:0:0:0:0:8888] 2001:4860:4860:0:0:0:0:8888 443 /",
                "https://[::FFFF:127.0.0.1]/ ::FFFF:127.0.0.1 443 /",
                "https://[64:ff9b::8.8.8.8]/ 64:ff9b::8.8.8.8 443 /",
            })
    void a_valid_url_is_parsed(String text, String host, int port, String requestTarget) throws RefusedTarget {
        var url = TargetUrl.parse(text, false);
        assertThat(url.secure()).isTrue();
        assertThat(url.host().name()).isEqualTo(host);
        assertThat(url.port()).isEqualTo(port);
        assertThat(url.requestTarget()).isEqualTo(requestTarget);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // IPv4 in the spellings of inet_aton and of browsers
                "https://2130706433/",
                "https://127.1/",
                "https://127.0.1/",
                "https://127.0.0.1.1/",
                "https://127.0.0.1./",
                "https://0177.0.0.1/",
                "https://127.0.0.01/",
                "https://127.000.000.001/",
                "https://0x7f.0.0.1/",
                "https://0x7f.0x0.0x0.0x1/",
                "https://0X7F000001/",
                "https://0x7f000001/",
                "https://0x7F.1/",
                "https://017700000001/",
                "https://127.0.0.0x1/",
                "https://1.2.3.0x/",
                "https://256.0.0.1/",
                "https://127.0.0.256/",
                "https://4294967296/",
                "https://999999999999999999999/",
                "https://0/",
                "https://00/",
                "https://0x/",
                "https://1/",
                "https://example.1/",
                "https://example.0x7f/",
                "https://127.0.0.+1/",
                "https://127.0.0.-1/",
                "https://127..1/",
                "https://.127.0.0.1/",
                // characters that normalise to such spellings
                "https://１２７.０.０.１/",
                "https://１２７。０。０。１/",
                "https://127。0。0。1/",
                "https://127．0．0．1/",
                "https://127｡0｡0｡1/",
                "https://①②⑦.0.0.1/",
                "https://127.0.0.¹/",
                "https://127.0.0.\u00AD1/",
                "https://８.８.８.８/",
                "https://0ｘ7f000001/",
                "https://%31%32%37.0.0.1/",
                "https://127%2E0%2E0%2E1/",
                "https://%6c%6f%63alhost/",
                "https://ex%61mple.com/",
                "https://example.com%00.evil.example/",
                "https://example％2ecom/",
                // IPv6
                "https://[::1%251]/",
                "https://[fe80::1%25eth0]/",
                "https://[fe80::1%eth0]/",
                "https://[::1",
                "https://::1/",
                "https://[::1]x/",
                "https://x[::1]/",
                "https://[::1]:/",
                "https://[]/",
                "https://[:]/",
                "https://[:::]/",
                "https://[::1::]/",
                "https://[1:2:3:4:5:6:7]/",
                "https://[1:2:3:4:5:6:7:8:9]/",
                "https://[00001::]/",
                "https://[12345::]/",
                "https://[::ffff:0177.0.0.1]/",
                "https://[::ffff:127.1]/",
                "https://[::127.0.0.256]/",
                "https://[127.0.0.1]/",
                "https://[v1.x]/",
                "https://[example.com]/",
                "https://[[::1]]/",
                "https://[::１]/",
                "https://[::1]@example.com/",
                // invalid names
                "https:///hooks",
                "https://",
                "https://./",
                "https://../",
                "https://.example.com/",
                "https://example..com/",
                "https://example.com../",
                "https://-example.com/",
                "https://example-.com/",
                "https://exa_mple.com/",
                "https://exa mple.com/",
                "https://example.com,evil.example/",
                "https://*.example.com/",
                "https://evil.c℀.example/",
                "https://evil.example＃.example.com/",
                "https://evil.example／.example.com/",
                "https://user＠example.com/",
                "https://\u00AD/",
                "https://faß.example/",
                "https://Βόλος.example/",
                "https://a\u200Db.example/",
                "https://💩.example/",
                "https://\u202Eexample.com/",
                // authority
                "https://user@example.com/",
                "https://user:password@example.com/",
                "https://@example.com/",
                "https://:@example.com/",
                "https://example.com:443@evil.example/",
                "https://example.com\\@evil.example/",
                "https://example.com\\.evil.example/",
                "https://example.com:/",
                "https://example.com:0/",
                "https://example.com:65536/",
                "https://example.com:99999999999/",
                "https://example.com:0443/",
                "https://example.com:+443/",
                "https://example.com:-1/",
                "https://example.com:44３/",
                "https://example.com:443:443/",
                "https://example.com:x/",
                "https://:443/",
                // other errors
                "https://example.com/#fragment",
                "https://example.com/#",
                "https://example.com#",
                "https://example.com/hook s",
                "https://example.com/ü",
                "https://example.com/%",
                "https://example.com/%zz",
                "https://example.com/a\\b",
                "https://example.com/<script>",
                "https://example.com/\"",
                "https://example.com/a|b",
                "https://example.com/\r\nHost: evil.example",
                "https://example.com/\tx",
                "https://example.com/\u0000",
                "https://example.com\n/",
                " https://example.com/",
                "https://example.com/ ",
                "",
                "example.com",
                "//example.com/",
                "/hooks",
                "https:example.com",
                "https:/example.com/",
                "https:\\\\example.com\\",
                "https//example.com/",
                "://example.com/",
                "http://example.com/",
                "ftp://example.com/",
                "file:///etc/passwd",
                "gopher://example.com/",
                "jar:https://example.com/!/",
                "javascript:alert(1)",
                "httpss://example.com/",
                "ｈttps://example.com/",
                "https\u0000://example.com/",
            })
    void a_hostile_or_malformed_url_is_refused(String text) {
        assertThatThrownBy(() -> TargetUrl.parse(text, false))
                .isInstanceOf(RefusedTarget.class)
                .hasMessageMatching("[A-Z].*\\.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "LOCALHOST",
                "localhost.",
                "LocalHost.",
                "foo.localhost",
                "foo.bar.LOCALHOST.",
                "localhost。",
                "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
                "ｌocalhost",
                "local\u00ADhost",
                "x．localhost",
            })
    void localhost_is_recognised_in_every_spelling(String host) throws RefusedTarget {
        assertThat(TargetUrl.parse("https://" + host + "/", false).host().isLocalhost())
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost.example", "notlocalhost", "local-host", "localhosts", "127.0.0.1"})
    void other_hosts_are_not_localhost(String host) throws RefusedTarget {
        assertThat(TargetUrl.parse("https://" + host + "/", false).host().isLocalhost())
                .isFalse();
    }

    @Test
    void plain_http_needs_permission() throws RefusedTarget {
        var url = TargetUrl.parse("http://example.com/hooks", true);
        assertThat(url.secure()).isFalse();
        assertThat(url.port()).isEqualTo(80);
        assertThat(TargetUrl.parse("https://example.com/", true).secure()).isTrue();
        assertThatThrownBy(() -> TargetUrl.parse("ftp://example.com/", true)).hasMessageContaining("http://");
    }

    @Test
    void a_url_has_at_most_2048_characters() throws RefusedTarget {
        var start = "https://example.com/";
        var longest = start + "x".repeat(2_048 - start.length());
        assertThat(TargetUrl.parse(longest, false).requestTarget()).hasSize(2_048 - start.length() + 1);
        assertThatThrownBy(() -> TargetUrl.parse(longest + "x", false)).hasMessageContaining("2048");
    }

    @Test
    void a_name_has_at_most_253_characters_and_labels_of_at_most_63() throws RefusedTarget {
        var label = "a".repeat(63);
        var longest = String.join(".", label, label, label, "a".repeat(61));
        assertThat(TargetUrl.parse("https://" + longest, false).host().name()).hasSize(253);
        assertThatThrownBy(() -> TargetUrl.parse("https://" + longest + "a", false))
                .isInstanceOf(RefusedTarget.class);
        assertThatThrownBy(() -> TargetUrl.parse("https://a" + label + ".example", false))
                .isInstanceOf(RefusedTarget.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"é", ":", "a.", "1"})
    void a_very_long_host_is_refused(String character) {
        var host = character.repeat(2_000 / character.length());
        for (var url : List.of("https://" + host + "/", "https://[" + host + "]/")) {
            assertThatThrownBy(() -> TargetUrl.parse(url, false)).isInstanceOf(RefusedTarget.class);
        }
    }
}
