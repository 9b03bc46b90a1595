package dev.okr.console;

import dev.okr.platform.encryption.DerivedKey;
import io.smallrye.config.ConfigSourceInterceptor;
import io.smallrye.config.ConfigSourceInterceptorContext;
import io.smallrye.config.ConfigValue;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.smallrye.config.SmallRyeConfigBuilderCustomizer;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Disables the console if no provider is configured, because Quarkus would not start. Also derives the secrets of the
 * session cookies from the encryption key, so that they are the same on all replicas. Explicit configuration takes
 * precedence.
 */
public final class SignInDefaults implements SmallRyeConfigBuilderCustomizer {
    static final String ENABLED = "quarkus.oidc.tenant-enabled";

    private static final String PROVIDER = "quarkus.oidc.auth-server-url";
    private static final String SESSION_SECRET = "quarkus.oidc.token-state-manager.encryption-secret";
    private static final String STATE_SECRET = "quarkus.oidc.authentication.state-secret";
    private static final String ENCRYPTION_KEY = "okr.encryption-key";

    @Override
    public void configBuilder(SmallRyeConfigBuilder builder) {
        builder.withInterceptors(new Interceptor());
    }

    /** Reads the provider and the key on demand, since a configuration source cannot see values of other sources. */
    static final class Interceptor implements ConfigSourceInterceptor {
        private static final long serialVersionUID = 1L;

        @Override
        public @Nullable ConfigValue getValue(ConfigSourceInterceptorContext context, String name) {
            var configured = context.proceed(name);
            if (isConfigured(configured)) {
                return configured;
            }
            var fallback = switch (name) {
                case ENABLED -> String.valueOf(value(context, PROVIDER) != null);
                case SESSION_SECRET -> secret(context, "okr console session");
                case STATE_SECRET -> secret(context, "okr console sign-in");
                default -> null;
            };
            return fallback == null
                    ? configured
                    : ConfigValue.builder().withName(name).withValue(fallback).build();
        }

        /** Quarkus' defaults come from sources with negative ordinals. */
        private static boolean isConfigured(@Nullable ConfigValue value) {
            return value != null && value.getValue() != null && value.getConfigSourceOrdinal() > 0;
        }

        private static @Nullable String secret(ConfigSourceInterceptorContext context, String purpose) {
            var key = value(context, ENCRYPTION_KEY);
            // EncryptionKeyCheck reports a missing or malformed key later.
            return key == null || !isBase64(key)
                    ? null
                    : Base64.getEncoder().withoutPadding().encodeToString(DerivedKey.derive(key, purpose));
        }

        private static boolean isBase64(String text) {
            try {
                return Base64.getDecoder().decode(text).length > 0;
            } catch (IllegalArgumentException notBase64) {
                return false;
            }
        }

        /** A configured value. An empty value counts as unset. */
        private static @Nullable String value(ConfigSourceInterceptorContext context, String name) {
            var value = context.proceed(name);
            return value == null || value.getValue() == null || value.getValue().isBlank()
                    ? null
                    : value.getValue().strip();
        }
    }
}
