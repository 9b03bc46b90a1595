package dev.okr.operations.commands;

import dev.okr.platform.http.JsonBody;
import dev.okr.platform.http.Text;
import java.util.Optional;

/** A name by the rules of the API (contract, section 1): trimmed, 1 to 250 characters, no control characters. */
record Name(String text) {
    static final int MAX_CHARACTERS = JsonBody.MAX_TITLE_CODE_POINTS;

    static Optional<Name> parse(String raw) {
        var text = Text.normalize(raw);
        return !text.isEmpty() && text.codePointCount(0, text.length()) <= MAX_CHARACTERS && Text.isClean(text)
                ? Optional.of(new Name(text))
                : Optional.empty();
    }
}
