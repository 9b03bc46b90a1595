package dev.okr.operations.provisioning;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Collects the errors of an organisation file, so that all are reported together. */
final class FileErrors {
    private static final int MAX_ERRORS_SHOWN = 50;
    private static final int MAX_QUOTED_CHARACTERS = 60;

    /** Tokens are masked in messages, because a message may quote a token from the wrong field of the file. */
    private static final Pattern TOKEN = Pattern.compile("okr_[0-9A-Za-z]+");

    private static final Pattern NOT_PRINTABLE = Pattern.compile("[\\p{Cntrl}\\p{Cs}]");

    private final List<FileError> errors = new ArrayList<>();

    /** @param line the line, or 0 for the whole file */
    private record FileError(int line, String message) {}

    void add(int line, String message) {
        errors.add(new FileError(line, message));
    }

    boolean isEmpty() {
        return errors.isEmpty();
    }

    /** @throws InvalidOrganizationFile if there are errors */
    void throwIfAny(String fileName) throws InvalidOrganizationFile {
        if (!isEmpty()) {
            throw new InvalidOrganizationFile(messages(fileName));
        }
    }

    /** Quotes text of the file, shortened and without control characters, so that it is safe to log. */
    static String quote(String text) {
        var printable = NOT_PRINTABLE.matcher(text).replaceAll("\uFFFD");
        var shown = printable.length() <= MAX_QUOTED_CHARACTERS
                ? printable
                : printable.substring(0, MAX_QUOTED_CHARACTERS) + "…";
        return '"' + mask(shown) + '"';
    }

    static String mask(String text) {
        return TOKEN.matcher(text).replaceAll("okr_…");
    }

    private String messages(String fileName) {
        var shown = errors.stream()
                .sorted(Comparator.comparingInt(FileError::line))
                .limit(MAX_ERRORS_SHOWN)
                .map(error -> error.line() == 0
                        ? fileName + ": " + error.message()
                        : fileName + " line " + error.line() + ": " + error.message())
                .collect(Collectors.joining("\n"));
        int hidden = errors.size() - MAX_ERRORS_SHOWN;
        return hidden > 0 ? shown + "\n" + fileName + ": and " + hidden + " more" : shown;
    }
}
