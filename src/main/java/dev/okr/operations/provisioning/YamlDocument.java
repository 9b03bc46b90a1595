package dev.okr.operations.provisioning;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.composer.Composer;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.ReaderException;
import org.yaml.snakeyaml.reader.StreamReader;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * Parses YAML into nodes with line numbers. No classes are loaded and no objects are constructed. Aliases are rejected,
 * because a few of them can expand to a document of any size.
 */
final class YamlDocument {
    static final int MAX_BYTES = 4 << 20;

    private static final int MAX_DEPTH = 16;

    private YamlDocument() {}

    /** Returns the root of the document, or null after adding an error. */
    static @Nullable Node read(byte[] content, FileErrors errors) {
        if (content.length > MAX_BYTES) {
            errors.add(0, "the file is larger than " + (MAX_BYTES >> 20) + " MiB");
            return null;
        }
        try {
            var text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(content))
                    .toString();
            return compose(text, errors);
        } catch (CharacterCodingException e) {
            errors.add(0, "the file is not UTF-8");
            return null;
        }
    }

    private static @Nullable Node compose(String text, FileErrors errors) {
        try {
            refuseAliases(text, errors);
            if (!errors.isEmpty()) {
                return null;
            }
            var root = new Composer(parser(text), new Resolver(), options()).getSingleNode();
            if (root == null) {
                errors.add(0, "the file is empty");
            }
            return root;
        } catch (MarkedYAMLException e) {
            // The message of the exception is not used, because it quotes the line, which may contain a token.
            var mark = e.getProblemMark();
            errors.add(mark == null ? 0 : mark.getLine() + 1, "not YAML: " + FileErrors.mask(e.getProblem()));
        } catch (ReaderException e) {
            errors.add(lineOf(text, e.getPosition()), "not YAML: the file contains a character that is not printable");
        } catch (YAMLException e) {
            errors.add(0, "not YAML: " + FileErrors.mask(String.valueOf(e.getMessage())));
        }
        return null;
    }

    private static void refuseAliases(String text, FileErrors errors) {
        var parser = parser(text);
        for (var event = parser.getEvent(); event != null && !event.is(Event.ID.StreamEnd); event = parser.getEvent()) {
            if (event instanceof AliasEvent alias) {
                errors.add(alias.getStartMark().getLine() + 1, "aliases (*name) are not allowed; repeat the text");
            }
        }
    }

    private static ParserImpl parser(String text) {
        return new ParserImpl(new StreamReader(text), options());
    }

    private static LoaderOptions options() {
        var options = new LoaderOptions();
        options.setCodePointLimit(MAX_BYTES);
        options.setNestingDepthLimit(MAX_DEPTH);
        return options;
    }

    private static int lineOf(String text, int position) {
        return 1
                + (int) text.codePoints()
                        .limit(position)
                        .filter(character -> character == '\n')
                        .count();
    }
}
