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
 * Reads YAML to nodes, which know their lines, and no further: no class is loaded and nothing is constructed. Aliases
 * are refused, because a few of them can stand for a file of any size.
 */
final class YamlDocument {
    static final int MAX_BYTES = 4 << 20;

    private static final int MAX_DEPTH = 16;

    private YamlDocument() {}

    /** The root of the document; when there is none to be had, an error is noted and the root is null. */
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
            // Not the exception's message, which quotes the line with all that it holds.
            var mark = e.getProblemMark();
            errors.add(mark == null ? 0 : mark.getLine() + 1, "not YAML: " + FileErrors.mask(e.getProblem()));
        } catch (ReaderException e) {
            errors.add(lineOf(text, e.getPosition()), "not YAML: there is a character that cannot be printed");
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
