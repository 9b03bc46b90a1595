package dev.okr.platform.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.Heading;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The service shows the guides of {@code docs} as pages. The pages are in the repository. This test generates them. */
class GuidePagesTest {
    private static final Path PAGES = Path.of("src", "main", "resources", "META-INF", "resources", "guides");
    private static final Path TEXT = Path.of("src", "main", "resources", "META-INF", "resources", "llms.txt");
    private static final Pattern CONTENTS = Pattern.compile("(?m)^ *- \\[[^]]*]\\(#[^)]*\\).*\n");
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final String UPDATE = "okr.update-golden";

    /** What a link to a file in {@code docs} becomes. */
    private static final Map<String, String> SERVED =
            Map.of("api.md", "api.html", "webhooks.md", "webhooks.html", "openapi.yaml", "/q/openapi");

    private static final String PAGE = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>%s</title>
            <style>
            :root { color-scheme: light dark }
            body { max-width: 50rem; margin: 0 auto; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif }
            pre { padding: .75rem; border: 1px solid #8886; overflow-x: auto; font-size: .85rem }
            table { display: block; overflow-x: auto; border-collapse: collapse }
            th, td { padding: .25rem .5rem; border: 1px solid #8886; text-align: left; vertical-align: top }
            </style>
            </head>
            <body>
            <p><a href="/q/swagger-ui/">All operations</a></p>
            %s</body>
            </html>
            """;

    @ParameterizedTest
    @ValueSource(strings = {"api", "webhooks"})
    void the_service_shows_the_guide_of_the_repository(String name) throws IOException {
        var page = PAGES.resolve(name + ".html");
        var expected = render(Files.readString(Path.of("docs", name + ".md")));
        if (Boolean.getBoolean(UPDATE)) {
            Files.createDirectories(PAGES);
            Files.writeString(page, expected);
        }
        assertThat(Files.exists(page) ? Files.readString(page) : "")
                .as("To update it, run: ./mvnw test -Dtest=GuidePagesTest -D%s=true", UPDATE)
                .isEqualTo(expected);
    }

    /** The guides in one text file, for assistants that read the documentation of a service at this path. */
    @Test
    void the_service_shows_the_guides_to_assistants() throws IOException {
        var expected = Files.readString(Path.of("docs", "llms.md"))
                + "\n"
                + plain(Files.readString(Path.of("docs", "api.md")))
                + "\n"
                + plain(Files.readString(Path.of("docs", "webhooks.md")));
        if (Boolean.getBoolean(UPDATE)) {
            Files.writeString(TEXT, expected);
        }
        assertThat(Files.exists(TEXT) ? Files.readString(TEXT) : "")
                .as("To update it, run: ./mvnw test -Dtest=GuidePagesTest -D%s=true", UPDATE)
                .isEqualTo(expected);
    }

    /** Markdown without a table of contents and with links that the service serves. */
    private static String plain(String markdown) {
        var withoutContents = CONTENTS.matcher(markdown).replaceAll("");
        return LINK.matcher(withoutContents)
                .replaceAll(link -> Matcher.quoteReplacement("](" + servedText(link.group(1)) + ')'));
    }

    private static String servedText(String destination) {
        var served = served(destination);
        return served.startsWith("#") || served.startsWith("/") || served.startsWith("https:")
                ? served
                : "/guides/" + served;
    }

    private static String render(String markdown) {
        var extensions = List.of(TablesExtension.create());
        var document = Parser.builder().extensions(extensions).build().parse(markdown);
        document.accept(new AbstractVisitor() {
            @Override
            public void visit(Link link) {
                link.setDestination(served(link.getDestination()));
                visitChildren(link);
            }
        });
        var renderer = HtmlRenderer.builder()
                .extensions(extensions)
                .attributeProviderFactory(context -> (node, tag, attributes) -> {
                    if (node instanceof Heading) {
                        attributes.put("id", anchor(node));
                    }
                })
                .build();
        return PAGE.formatted(text(document.getFirstChild()), renderer.render(document));
    }

    private static String served(String destination) {
        if (destination.startsWith("#") || destination.startsWith("https:")) {
            return destination;
        }
        var parts = destination.split("#", 2);
        assertThat(SERVED).as("files that the guides may link to").containsKey(parts[0]);
        return SERVED.get(parts[0]) + (parts.length == 1 ? "" : '#' + parts[1]);
    }

    /** The anchor of a heading, as other viewers of Markdown generate it. */
    private static String anchor(Node heading) {
        return text(heading)
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{Alnum}_ -]", "")
                .replace(' ', '-');
    }

    private static String text(Node node) {
        var text = new StringBuilder();
        node.accept(new AbstractVisitor() {
            @Override
            public void visit(Text part) {
                text.append(part.getLiteral());
            }

            @Override
            public void visit(Code part) {
                text.append(part.getLiteral());
            }
        });
        return text.toString();
    }
}
