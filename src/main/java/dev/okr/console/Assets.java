package dev.okr.console;

import jakarta.enterprise.context.ApplicationScoped;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/** The stylesheet and the script. Their URLs contain a hash of their content, so that browsers can cache them. */
@ApplicationScoped
class Assets {
    private static final String STYLESHEET = "console.css";
    private static final String SCRIPT = "console.js";
    private static final int HASH_BYTES = 8;

    private final Map<String, Asset> assets = Map.of(
            STYLESHEET,
            load("text/css;charset=UTF-8", STYLESHEET, "overview.css"),
            SCRIPT,
            load("text/javascript;charset=UTF-8", SCRIPT));

    record Asset(String type, String hash, byte[] content) {}

    String stylesheet() {
        return url(STYLESHEET);
    }

    String script() {
        return url(SCRIPT);
    }

    /** Empty for an unknown name or the hash of another release. */
    Optional<Asset> find(String hash, String name) {
        return Optional.ofNullable(assets.get(name))
                .filter(asset -> asset.hash().equals(hash));
    }

    @SuppressWarnings("NullAway") // called with known names only
    private String url(String name) {
        return ConsolePath.ROOT + "/assets/" + assets.get(name).hash() + '/' + name;
    }

    /** Concatenates files. */
    private static Asset load(String type, String... files) {
        var content = new ByteArrayOutputStream();
        Arrays.stream(files).map(Assets::read).forEach(content::writeBytes);
        try {
            var hash = MessageDigest.getInstance("SHA-256").digest(content.toByteArray());
            return new Asset(type, HexFormat.of().formatHex(hash, 0, HASH_BYTES), content.toByteArray());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform supports SHA-256", e);
        }
    }

    private static byte[] read(String name) {
        try (var file = Assets.class.getResourceAsStream("/settings/" + name)) {
            if (file == null) {
                throw new IllegalStateException("missing resource settings/" + name);
            }
            return file.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
