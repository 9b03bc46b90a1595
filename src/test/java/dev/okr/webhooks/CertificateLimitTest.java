package dev.okr.webhooks;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.okr.testing.TestCertificate;
import io.quarkus.tls.runtime.config.TrustStoreConfig.CertificateExpiryPolicy;
import io.quarkus.tls.runtime.keystores.ExpiryTrustOptions;
import io.vertx.core.Vertx;
import io.vertx.core.net.TrustOptions;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Test;

class CertificateLimitTest {

    /** Ten certificates with equal names need up to 0.5 s of an event loop. */
    @Test
    void a_chain_has_at_most_five_certificates() throws Exception {
        var stored = TestCertificate.make("dns:localhost").trustStore();
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(stored);
        var chain = chain(stored, 5);
        var withSix = chain(stored, 6);
        for (var limited : List.of(CertificateLimit.of(trust), CertificateLimit.of(ofQuarkus(trust)))) {
            var manager = (X509TrustManager) limited.getTrustManagers()[0];
            manager.checkServerTrusted(chain, "ECDHE_ECDSA");
            assertThatThrownBy(() -> manager.checkServerTrusted(withSix, "ECDHE_ECDSA"))
                    .hasMessage("The chain has more than 5 certificates.");
        }
    }

    /** Java normalizes the names. That can take quadratic time. */
    @Test
    void a_name_has_at_most_1024_bytes() throws Exception {
        checkName(900);
        assertThatThrownBy(() -> checkName(1_100))
                .hasMessage("A name in the certificate chain is longer than 1024 bytes.");
    }

    private static void checkName(int characters) throws Exception {
        var stored = TestCertificate.make("dns:localhost", "EC", "x".repeat(characters))
                .trustStore();
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(stored);
        var manager = (X509TrustManager) CertificateLimit.of(trust).getTrustManagers()[0];
        manager.checkServerTrusted(chain(stored, 1), "ECDHE_ECDSA");
    }

    /** The trust managers of a TLS configuration are not extended. */
    private static TrustManagerFactory ofQuarkus(TrustManagerFactory trust) throws Exception {
        var vertx = Vertx.vertx();
        try {
            return new ExpiryTrustOptions(TrustOptions.wrap(trust.getTrustManagers()[0]), CertificateExpiryPolicy.WARN)
                    .getTrustManagerFactory(vertx);
        } finally {
            vertx.close();
        }
    }

    private static X509Certificate[] chain(KeyStore stored, int length) throws Exception {
        var chain = new X509Certificate[length];
        Arrays.fill(chain, (X509Certificate) stored.getCertificate("server"));
        return chain;
    }
}
