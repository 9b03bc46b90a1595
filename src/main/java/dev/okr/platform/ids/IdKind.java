package dev.okr.platform.ids;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;

/** The kinds of resource with their id prefixes. */
public enum IdKind {
    OBJECTIVE("obj", "objective", "objectives"),
    KEY_RESULT("kr", "key result", "key-results"),
    CHECK_IN("ci", "check-in", "check-ins"),
    CYCLE("cyc", "cycle", "cycles"),
    TEAM("team", "team", "teams"),
    USER("usr", "user", "users"),
    ALIGNMENT("align", "alignment", "alignments"),
    WEBHOOK("wh", "webhook", "webhooks"),
    EVENT("evt", "event", "events"),
    DELIVERY("dlv", "delivery", "deliveries"),
    API_KEY("key", "API key", "api-keys"),
    ORGANIZATION("org", "organization", "organizations"),
    IMPORT("imp", "import", "imports");

    private final String prefix;
    private final byte[] start;
    private final String noun;
    private final String collection;

    IdKind(String prefix, String noun, String collection) {
        this.prefix = prefix;
        this.start = (prefix + '_').getBytes(StandardCharsets.US_ASCII);
        this.noun = noun;
        this.collection = collection;
    }

    /** @param collection the path segment before an id, such as {@code key-results} or {@code deleted-objectives} */
    public static IdKind ofCollection(String collection) {
        // The members of a team.
        var collectionOfKind = collection.equals("members") ? USER.collection : collection;
        return Arrays.stream(values())
                .filter(kind -> collectionOfKind.equals(kind.collection)
                        || collectionOfKind.equals("deleted-" + kind.collection))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("No kind of id has the collection " + collection));
    }

    /** Whether the text is an id of any kind. */
    public static boolean isId(String text) {
        return Arrays.stream(values()).anyMatch(kind -> kind.parse(text).isPresent());
    }

    /** The prefix without its underscore. */
    public String prefix() {
        return prefix;
    }

    /** The name of the resource in a sentence, such as {@code key result}. */
    public String noun() {
        return noun;
    }

    /** The public form: prefix, underscore and 26 characters of base32. */
    public String format(UUID id) {
        return Base32.encode(start, id);
    }

    /** Parses a public id that this service made. */
    public UUID require(String publicId) {
        return parse(publicId).orElseThrow();
    }

    /** Parses a public id. Empty for an id of another kind and for any other text. */
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
