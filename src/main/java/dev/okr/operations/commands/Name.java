package dev.okr.operations.commands;

import dev.okr.platform.http.Text;
import java.util.Optional;

/** A name by the rules of the API: trimmed, 1 to 250 characters, no control characters. */
record Name(String text) {
    static final int MAX_CHARACTERS = Text.MAX_TITLE_CODE_POINTS;

    static Optional<Name> parse(String raw) {
        var text = Text.normalize(raw);
        return !text.isEmpty() && !Text.isLonger(text, MAX_CHARACTERS) && Text.isClean(text)
                ? Optional.of(new Name(text))
                : Optional.empty();
    }
}
