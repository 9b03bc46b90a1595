package dev.okr.platform.ids;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;

/** The kinds of identifier and their prefixes (specification, section 2.1; contract, section 1). */
public enum IdKind {
    OBJECTIVE("obj"),
    KEY_RESULT("kr"),
    CHECK_IN("ci"),
    CYCLE("cyc"),
    TEAM("team"),
    USER("usr"),
    ALIGNMENT("align"),
    WEBHOOK("wh"),
    EVENT("evt"),
    DELIVERY("dlv"),
    API_KEY("key"),
    ORGANIZATION("org");

    private final String prefix;
    private final byte[] start;

    IdKind(String prefix) {
        this.prefix = prefix;
        this.start = (prefix + '_').getBytes(StandardCharsets.US_ASCII);
    }

    /** The prefix without its underscore. */
    public String prefix() {
        return prefix;
    }

    /** The public form: prefix, underscore and 26 characters of base32. */
    public String format(UUID id) {
        return Base32.encode(start, id);
    }

    /** Whether a text is an id of any kind. */
    public static boolean isId(String text) {
        return Arrays.stream(values()).anyMatch(kind -> kind.parse(text).isPresent());
    }

    /** Reads a public id. Empty for another kind or any other text: such an id is simply unknown. */
    public Optional<UUID> parse(String publicId) {
        int suffix = prefix.length() + 1;
        if (publicId.length() != suffix + Base32.LENGTH
                || !publicId.startsWith(prefix)
                || publicId.charAt(prefix.length()) != '_') {
            return Optional.empty();
        }
        return Base32.decode(publicId, suffix);
    }
}
