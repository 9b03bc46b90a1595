package dev.okr.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** An untrusted certificate for localhost, generated with the JDK's keytool. */
public final class TestCertificate {
    private static final String PASSWORD = "changeit";

    private final KeyStore keyStore;

    private TestCertificate(KeyStore keyStore) {
        this.keyStore = keyStore;
    }

    /** @param subjectAlternativeName in keytool's format, such as {@code ip:127.0.0.1} */
    public static TestCertificate make(String subjectAlternativeName) {
        return make(subjectAlternativeName, "EC");
    }

    /** @param algorithm the algorithm of the key: EC or RSA */
    public static TestCertificate make(String subjectAlternativeName, String algorithm) {
        return make(subjectAlternativeName, algorithm, "receiver");
    }

    /** @param commonName the name of the subject */
    public static TestCertificate make(String subjectAlternativeName, String algorithm, String commonName) {
        try {
            var directory = Files.createTempDirectory("okr-test-certificate");
            var file = directory.resolve("server.p12");
            generate(file, subjectAlternativeName, algorithm, commonName);
            var keyStore = KeyStore.getInstance(file.toFile(), PASSWORD.toCharArray());
            Files.delete(file);
            Files.delete(directory);
            return new TestCertificate(keyStore);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The context of a server with this certificate. */
    public SSLContext serverContext() {
        try {
            var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(keyStore, PASSWORD.toCharArray());
            var context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The context of a client that trusts this certificate. */
    public KeyStore trustStore() {
        try {
            var trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            trusted.setCertificateEntry("server", keyStore.getCertificate("server"));
            return trusted;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void generate(Path file, String subjectAlternativeName, String algorithm, String commonName)
            throws IOException {
        var keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        var process = new ProcessBuilder(
                        keytool.toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        algorithm,
                        "-dname",
                        "CN=" + commonName,
                        "-ext",
                        "san=" + subjectAlternativeName,
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD,
                        "-keystore",
                        file.toString())
                .redirectErrorStream(true)
                .start();
        try (var output = process.getInputStream()) {
            var said = new String(output.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IOException(said);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }
}
