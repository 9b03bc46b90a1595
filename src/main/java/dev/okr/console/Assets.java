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

/** The stylesheet and the script. Their addresses hold a hash of their content, so that browsers may keep them. */
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
        return address(STYLESHEET);
    }

    String script() {
        return address(SCRIPT);
    }

    /** None for another name, and for the hash of another release. */
    Optional<Asset> find(String hash, String name) {
        return Optional.ofNullable(assets.get(name))
                .filter(asset -> asset.hash().equals(hash));
    }

    @SuppressWarnings("NullAway") // asked for the two names that there are
    private String address(String name) {
        return ConsolePath.ROOT + "/assets/" + assets.get(name).hash() + '/' + name;
    }

    /** Puts files together to one. */
    private static Asset load(String type, String... files) {
        var content = new ByteArrayOutputStream();
        Arrays.stream(files).map(Assets::read).forEach(content::writeBytes);
        try {
            var hash = MessageDigest.getInstance("SHA-256").digest(content.toByteArray());
            return new Asset(type, HexFormat.of().formatHex(hash, 0, HASH_BYTES), content.toByteArray());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private static byte[] read(String name) {
        try (var file = Assets.class.getResourceAsStream("/settings/" + name)) {
            if (file == null) {
                throw new IllegalStateException("the application was packaged without settings/" + name);
            }
            return file.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
