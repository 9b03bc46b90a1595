package dev.okr.webhooks;

import java.nio.ByteBuffer;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayDeque;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.ManagerFactoryParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.TrustManagerFactorySpi;
import javax.net.ssl.X509TrustManager;
import javax.security.auth.x500.X500Principal;

/**
 * Refuses a certificate chain that would need much memory or processor time, before it is verified. Java parses all
 * certificates that a server sends and keeps them with the connection, also those that it need not verify. Each ASN.1
 * element needs up to 100 bytes. So 30 KB with 10,000 names need a megabyte.
 *
 * <p>It is not an {@code X509ExtendedTrustManager}, because Java checks the host name itself only for managers that are
 * not.
 */
record CertificateLimit(X509TrustManager trust) implements X509TrustManager {
    /** Most chains have 200 to 300 elements. Each name of a certificate is one. */
    private static final int MAX_ELEMENTS = 600;

    /** Java tries all orders of the certificates to find a path. Ten certificates with equal names took 0.5 s. */
    private static final int MAX_CERTIFICATES = 5;

    /** The maximum for a subject or issuer. Java normalizes the names to compare them. That can take quadratic time. */
    private static final int MAX_NAME_BYTES = 1024;

    private static final int CONSTRUCTED = 0x20;
    private static final int OCTET_STRING = 0x04;
    private static final int LONG_LENGTH = 0x80;

    /** Adds the limit to all trust managers of a factory. */
    static TrustManagerFactory of(TrustManagerFactory factory) {
        var limited = Stream.of(factory.getTrustManagers())
                .map(each -> each instanceof X509TrustManager trust ? new CertificateLimit(trust) : each)
                .toArray(TrustManager[]::new);
        var spi = new TrustManagerFactorySpi() {
            @Override
            protected void engineInit(KeyStore store) {}

            @Override
            protected void engineInit(ManagerFactoryParameters parameters) {}

            @Override
            protected TrustManager[] engineGetTrustManagers() {
                return limited;
            }
        };
        // SimpleTrustManagerFactory of Netty would turn off the check of the host name for managers that are not
        // extended.
        return new TrustManagerFactory(spi, factory.getProvider(), factory.getAlgorithm()) {};
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        requireSmall(chain);
        trust.checkServerTrusted(chain, authType);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        trust.checkClientTrusted(chain, authType);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return trust.getAcceptedIssuers();
    }

    private static void requireSmall(X509Certificate[] chain) throws CertificateException {
        if (chain.length > MAX_CERTIFICATES) {
            throw new CertificateException("The chain has more than " + MAX_CERTIFICATES + " certificates.");
        }
        int elements = 0;
        for (var certificate : chain) {
            requireSmall(certificate.getSubjectX500Principal());
            requireSmall(certificate.getIssuerX500Principal());
            elements += elements(certificate.getEncoded());
        }
        if (elements > MAX_ELEMENTS) {
            throw new CertificateException("The certificate chain has more than " + MAX_ELEMENTS + " elements.");
        }
    }

    private static void requireSmall(X500Principal name) throws CertificateException {
        if (name.getEncoded().length > MAX_NAME_BYTES) {
            throw new CertificateException(
                    "A name in the certificate chain is longer than " + MAX_NAME_BYTES + " bytes.");
        }
    }

    /**
     * Counts the elements of an ASN.1 value, also those in octet strings, because certificate extensions are octet
     * strings. The values in them need not be valid. So no element extends beyond the one that contains it.
     */
    static int elements(byte[] encoded) {
        var value = ByteBuffer.wrap(encoded);
        var ends = new ArrayDeque<>(List.of(encoded.length));
        int count = 0;
        while (!ends.isEmpty()) {
            int end = ends.element();
            if (end - value.position() < 2) {
                value.position(end);
                ends.remove();
                continue;
            }
            count++;
            int tag = value.get();
            int length = length(value, end);
            int next = value.position() + Math.min(length, end - value.position());
            if ((tag & CONSTRUCTED) != 0 || tag == OCTET_STRING) {
                ends.push(next);
            } else {
                value.position(next);
            }
        }
        return count;
    }

    /** Reads a length, which is large if the value is not valid. */
    private static int length(ByteBuffer value, int end) {
        int first = Byte.toUnsignedInt(value.get());
        if (first < LONG_LENGTH) {
            return first;
        }
        long length = 0;
        for (int left = first - LONG_LENGTH; left > 0 && value.position() < end; left--) {
            length = Math.min(Integer.MAX_VALUE, length << Byte.SIZE | Byte.toUnsignedInt(value.get()));
        }
        return (int) length;
    }
}
