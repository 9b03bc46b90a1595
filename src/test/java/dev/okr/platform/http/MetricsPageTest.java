package dev.okr.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.HttpTest;
import dev.okr.testing.RawHttp;
import io.quarkus.test.junit.QuarkusTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@QuarkusTest
class MetricsPageTest extends HttpTest {
    private String request(String method, String path, String header) {
        return RawHttp.send(service, method + ' ' + path + " HTTP/1.1\r\nHost: okr\r\n" + header + "\r\n\r\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    X: none                          | application/openmetrics-text
                    Accept: application/openmetrics-text | application/openmetrics-text
                    Accept: text/plain;version=0.0.4 | text/plain
                    """)
    void the_client_chooses_the_format(String accept, String type) {
        assertThat(request("GET", "/q/metrics", accept))
                .startsWith("HTTP/1.1 200")
                .containsIgnoringCase("content-type: " + type)
                .contains("# TYPE ");
    }

    /** Compression would use much processor time, and anybody can request the metrics. */
    @Test
    void metrics_are_not_compressed() {
        assertThat(request("GET", "/q/metrics", "Accept-Encoding: gzip"))
                .startsWith("HTTP/1.1 200")
                .doesNotContainIgnoringCase("content-encoding")
                .containsIgnoringCase("content-length");
    }

    /** Otherwise the extension would answer them, and not send the response in parts. */
    @Test
    void other_methods_and_paths_have_no_metrics() {
        assertThat(request("HEAD", "/q/metrics", "X: none"))
                .startsWith("HTTP/1.1 200")
                .doesNotContain("# TYPE ");
        assertThat(request("POST", "/q/metrics", "Content-Length: 0")).startsWith("HTTP/1.1 405");
        assertThat(request("GET", "/q/metrics/", "X: none")).startsWith("HTTP/1.1 404");
        assertThat(request("GET", "/q/metrics/heap", "X: none")).startsWith("HTTP/1.1 404");
    }
}
