package dev.okr.platform.http;

import java.text.Normalizer;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The words of a text, for searches that ignore case and accents. A word consists of letters and digits. This is not
 * done in PostgreSQL, because its result would depend on the locale of the database.
 *
 * @param all in the order of the text
 */
public record Words(List<String> all) {
    public static final int MAX_SEARCHED = 8;

    /** A tool call can have a megabyte, and some characters become eighteen. */
    private static final int MAX_SEARCHED_TEXT = 4_000;

    /** Longer words are indexed by their beginning. */
    public static final int MAX_CHARACTERS = 64;

    /** The random part of an id. If two organisations share these characters, a search only becomes a little slower. */
    private static final int ORGANIZATION_CHARACTERS = 6;

    private static final Pattern MARKS = Pattern.compile("\\p{M}+");

    /**
     * Marks that the result does not contain. They are removed before the normalization, because it sorts them in
     * quadratic time. The iota subscript becomes a letter in upper case.
     */
    private static final Pattern MARKS_BEFORE = Pattern.compile("[\\p{M}\\x{FF9E}\\x{FF9F}&&[^\\x{345}]]+");

    private static final Pattern NO_WORD = Pattern.compile("[^\\p{L}\\p{N}]+");

    /** The words of texts to find. */
    public static Words of(@Nullable String... texts) {
        return new Words(Stream.of(texts)
                .flatMap(Stream::ofNullable)
                .flatMap(Words::split)
                .map(Words::beginning)
                .distinct()
                .toList());
    }

    /** The words to search for. Empty if there are none, too many or too long ones. */
    public static Optional<Words> searched(String text) {
        if (text.length() > MAX_SEARCHED_TEXT) {
            return Optional.empty();
        }
        var words = split(text).limit(MAX_SEARCHED + 1L).toList();
        boolean isValid = !words.isEmpty()
                && words.size() <= MAX_SEARCHED
                && words.stream().allMatch(word -> word.codePointCount(0, word.length()) <= MAX_CHARACTERS);
        return isValid ? Optional.of(new Words(withoutBeginnings(words))) : Optional.empty();
    }

    /** A text that contains a word also contains its beginning. Searching for the beginning too changes no result. */
    private static List<String> withoutBeginnings(List<String> words) {
        return words.stream()
                .distinct()
                .filter(word -> words.stream().noneMatch(other -> !other.equals(word) && other.startsWith(word)))
                .toList();
    }

    /** The words in the syntax of {@code tsvector}. */
    public String vector(UUID organization) {
        return all.stream().map(word -> lexeme(organization, word)).collect(Collectors.joining(" "));
    }

    /** A {@code tsquery} of texts in which each word is the beginning of a word. */
    public String query(UUID organization) {
        return all.stream().map(word -> lexeme(organization, word) + ":*").collect(Collectors.joining(" & "));
    }

    private static String lexeme(UUID organization, String word) {
        var id = organization.toString();
        return '\'' + id.substring(id.length() - ORGANIZATION_CHARACTERS) + word + '\'';
    }

    private static Stream<String> split(String text) {
        // Upper case first, because it replaces the final sigma and the sharp s. Not String.toLowerCase, because it
        // searches the whole word for each sigma.
        var folded = Normalizer.normalize(MARKS_BEFORE.matcher(text).replaceAll(""), Normalizer.Form.NFKD)
                .toUpperCase(Locale.ROOT)
                .codePoints()
                .map(Character::toLowerCase)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append);
        return NO_WORD.splitAsStream(MARKS.matcher(folded).replaceAll("")).filter(word -> !word.isEmpty());
    }

    private static String beginning(String word) {
        return word.codePointCount(0, word.length()) <= MAX_CHARACTERS
                ? word
                : word.substring(0, word.offsetByCodePoints(0, MAX_CHARACTERS));
    }
}
