package dev.okr.operations.database;

import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.interceptor.Interceptor;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/** Stops a start without a valid encryption key. Otherwise the service would fail later, at the first secret. */
@ApplicationScoped
public class EncryptionKeyCheck {
    private static final int KEY_BYTES = 32;
    private static final String HOW_TO_MAKE_ONE =
            "32 random bytes in base64, such as the output of `openssl rand -base64 32`";

    private final Optional<String> key;
    private final Optional<List<String>> previousKeys;
    private final boolean serving;

    EncryptionKeyCheck(
            @ConfigProperty(name = "okr.encryption-key") Optional<String> key,
            @ConfigProperty(name = "okr.encryption-keys-previous") Optional<List<String>> previousKeys,
            @ConfigProperty(name = "okr.serving", defaultValue = "true") boolean serving) {
        this.key = key;
        this.previousKeys = previousKeys;
        this.serving = serving;
    }

    /** Runs before all other code that runs at a start. */
    void check(@Observes @Priority(Interceptor.Priority.PLATFORM_BEFORE - 2) StartupEvent start) {
        if (serving) {
            require();
        }
    }

    /** @throws ConfigurationException if a key is missing or invalid */
    public void require() {
        var problem = problem(key.orElse(""), previousKeys.orElse(List.of()));
        if (problem != null) {
            throw new ConfigurationException(problem);
        }
    }

    /** The first problem with the keys, without the keys themselves. Null if they are valid. */
    static @Nullable String problem(String key, List<String> previousKeys) {
        if (key.isBlank()) {
            return "No encryption key is configured. Set OKR_ENCRYPTION_KEY to " + HOW_TO_MAKE_ONE + ".";
        }
        if (!isKey(key)) {
            return "OKR_ENCRYPTION_KEY is not a key: it must be " + HOW_TO_MAKE_ONE + ".";
        }
        for (int i = 0; i < previousKeys.size(); i++) {
            if (!previousKeys.get(i).isBlank() && !isKey(previousKeys.get(i))) {
                return "Key %d of OKR_ENCRYPTION_KEYS_PREVIOUS is not a key: it must be %s."
                        .formatted(i + 1, HOW_TO_MAKE_ONE);
            }
        }
        return null;
    }

    private static boolean isKey(String text) {
        try {
            return Base64.getDecoder().decode(text.strip()).length == KEY_BYTES;
        } catch (IllegalArgumentException notBase64) {
            return false;
        }
    }
}
