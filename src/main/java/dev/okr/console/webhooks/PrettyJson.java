package dev.okr.console.webhooks;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/** Formats JSON for reading. It works on tokens, so numbers keep their spelling. */
final class PrettyJson {
    private static final DefaultIndenter INDENTER = new DefaultIndenter("  ", "\n");

    private PrettyJson() {}

    static String format(String json) {
        var text = new StringWriter();
        var factory = new JsonFactory();
        try (var parser = factory.createParser(json);
                var generator = factory.createGenerator(text)) {
            generator.setPrettyPrinter(printer());
            parser.nextToken();
            generator.copyCurrentStructureExact(parser);
        } catch (IOException e) {
            throw new UncheckedIOException("the payload of an event is not JSON", e);
        }
        return text.toString();
    }

    private static DefaultPrettyPrinter printer() {
        var separators = Separators.createDefaultInstance().withObjectFieldValueSpacing(Separators.Spacing.AFTER);
        return new DefaultPrettyPrinter(separators).withObjectIndenter(INDENTER).withArrayIndenter(INDENTER);
    }
}
