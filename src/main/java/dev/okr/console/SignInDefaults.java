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
 * Switches the console off where no provider is configured, without which Quarkus would refuse to start, and gives it
 * the secrets of its cookies. They must be the same on all replicas, so they come from the encryption key. Whatever is
 * configured wins.
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

    /** Asks for the provider and the key when they are needed: a source could not see what other sources bring. */
    static final class Interceptor implements ConfigSourceInterceptor {
        private static final long serialVersionUID = 1L;

        @Override
        public @Nullable ConfigValue getValue(ConfigSourceInterceptorContext context, String name) {
            var configured = context.proceed(name);
            if (isConfigured(configured)) {
                return configured;
            }
            var standard = switch (name) {
                case ENABLED -> String.valueOf(value(context, PROVIDER) != null);
                case SESSION_SECRET -> secret(context, "okr console session");
                case STATE_SECRET -> secret(context, "okr console sign-in");
                default -> null;
            };
            return standard == null
                    ? configured
                    : ConfigValue.builder().withName(name).withValue(standard).build();
        }

        /** The defaults of Quarkus come from sources with negative ordinals. */
        private static boolean isConfigured(@Nullable ConfigValue value) {
            return value != null && value.getValue() != null && value.getConfigSourceOrdinal() > 0;
        }

        private static @Nullable String secret(ConfigSourceInterceptorContext context, String purpose) {
            var key = value(context, ENCRYPTION_KEY);
            // A missing or wrong key stops the start soon, with a message of its own.
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

        /** A configured value; an empty one equals none. */
        private static @Nullable String value(ConfigSourceInterceptorContext context, String name) {
            var value = context.proceed(name);
            return value == null || value.getValue() == null || value.getValue().isBlank()
                    ? null
                    : value.getValue().strip();
        }
    }
}
