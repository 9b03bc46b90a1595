package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which heads of requests are refused. */
class RequestHeadTest {
    private final DefaultHttpRequest request =
            new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/v1/cycles");

    @ParameterizedTest
    @CsvSource({
        "chunked, true",
        "Chunked, true",
        "xchunked, false",
        "identity, false",
        "gzip, false",
        "\"chunked\", false",
        "'gzip, chunked', false",
        "'chunked, chunked', false",
        "'', false"
    })
    void the_only_transfer_coding_is_chunked(String coding, boolean isAccepted) {
        request.headers().add("Transfer-Encoding", coding);
        assertThat(isAccepted()).isEqualTo(isAccepted);
    }

    @Test
    void there_is_one_transfer_coding() {
        request.headers().add("Transfer-Encoding", "chunked").add("Transfer-Encoding", "chunked");
        assertThat(isAccepted()).isFalse();
    }

    @Test
    void there_is_one_host() {
        request.headers().add("Host", "okr");
        assertThat(isAccepted()).isTrue();
        request.headers().add("Host", "okr");
        assertThat(isAccepted()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "[::1", "<b>", "%", "{}", "\"", "a\\b", "^", "|", "[v1.a", "a/b", "a?b", "a#b"})
    void a_malformed_host_is_refused(String host) {
        request.headers().add("Host", host);
        assertThat(isAccepted()).isFalse();
    }

    @Test
    void a_target_without_a_name_after_two_slashes_is_refused() {
        request.setUri("//").headers().add("Host", "okr");
        assertThat(isAccepted()).isFalse();
    }

    @Test
    void a_malformed_host_is_refused_beside_an_absolute_address() {
        request.setUri("http://okr/v1/cycles").headers().add("Host", "<b>");
        assertThat(isAccepted()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "okr", "okr.example:8080", "127.0.0.1", "[::1]:8080", "a_b", "xn--bcher-kva.example"})
    void a_host_has_an_optional_port(String host) {
        request.headers().add("Host", host);
        assertThat(isAccepted()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ",", ",,1.1.1.1", ":80", ":80, 1.1.1.1"})
    void a_forwarded_address_is_not_empty(String addresses) {
        request.headers().add("X-Forwarded-For", addresses);
        assertThat(isAccepted()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.1.1.1", "1.1.1.1:80", "1.1.1.1, 2.2.2.2", "::1", "[::1]", "[::1]:80", "2001:db8::1"})
    void a_forwarded_address_has_an_optional_port(String addresses) {
        request.headers().add("X-Forwarded-For", addresses);
        assertThat(isAccepted()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "X-Forwarded-Proto | a b",
                "X-Forwarded-Proto | ''",
                "X-Forwarded-Proto | , https",
                "X-Forwarded-Proto | https , http",
                "X-Forwarded-Proto | 1https",
                "X-Forwarded-Host | a b",
                "X-Forwarded-Host | ''",
                "X-Forwarded-Host | [::1",
                "X-Forwarded-Host | okr.example , proxy"
            })
    void a_malformed_forwarded_protocol_or_host_is_ignored(String header, String value) {
        request.headers().add(header, value);
        assertThat(isAccepted()).isTrue();
        assertThat(request.headers().contains(header)).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "X-Forwarded-Proto | https",
                "X-Forwarded-Proto | https,http",
                "X-Forwarded-Proto | HTTPS, http",
                "X-Forwarded-Host | okr.example:8443, proxy.example",
                "X-Forwarded-Host | [::1]:80"
            })
    void only_the_first_forwarded_protocol_and_host_count(String header, String value) {
        request.headers().add(header, value);
        assertThat(isAccepted()).isTrue();
        assertThat(request.headers().get(header)).isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"for=", "for=\"\"", "for=:80", "for=\":80\"", "For=:80", "proto=https;for=:80, for=1.1.1.1"})
    void an_empty_first_address_in_forwarded_is_refused(String elements) {
        request.headers().add("Forwarded", elements);
        assertThat(isAccepted()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"proto=https", "for=1.1.1.1:80", "for=\"[2001:db8::1]:80\"", "for=_hidden, for=:80"})
    void forwarded_can_omit_the_address_or_the_port(String elements) {
        request.headers().add("Forwarded", elements);
        assertThat(isAccepted()).isTrue();
    }

    private boolean isAccepted() {
        RequestHead.check(request);
        return request.decoderResult().isSuccess();
    }
}
