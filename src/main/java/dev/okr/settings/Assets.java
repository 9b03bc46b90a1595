package dev.okr.settings;

import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
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
            load(STYLESHEET, "text/css;charset=UTF-8"),
            SCRIPT,
            load(SCRIPT, "text/javascript;charset=UTF-8"));

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

    private static Asset load(String name, String type) {
        try (var file = Assets.class.getResourceAsStream("/settings/" + name)) {
            if (file == null) {
                throw new IllegalStateException("the application was packaged without settings/" + name);
            }
            var content = file.readAllBytes();
            var hash = MessageDigest.getInstance("SHA-256").digest(content);
            return new Asset(type, HexFormat.of().formatHex(hash, 0, HASH_BYTES), content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
