package dev.okr.console.overview;

import static dev.okr.objectives.overview.OverviewData.day;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.console.Shell;
import dev.okr.objectives.overview.OverviewData;
import io.quarkus.qute.Engine;
import io.quarkus.qute.HtmlEscaper;
import io.quarkus.qute.ReflectionValueResolver;
import io.quarkus.qute.TemplateLocator.TemplateLocation;
import io.quarkus.qute.UserTagSectionHelper;
import io.quarkus.qute.Variant;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Renders the content of the page without its layout. */
class OverviewTemplateTest {
    private static final Engine ENGINE = engine();

    private final OverviewData acme = new OverviewData();

    @Test
    void without_a_cycle_the_page_explains_how_to_create_one() {
        assertThat(render(null, false)).contains("There are no cycles yet.").doesNotContain("<svg");
    }

    @Test
    void an_empty_cycle_says_what_to_do_next_and_has_no_chart() {
        acme.cycle();
        assertThat(content())
                .contains("This cycle has no objectives yet.", "Objectives appear here")
                .doesNotContain("<figure");
    }

    @Test
    void only_people_who_can_create_objectives_see_the_link() {
        acme.cycle();
        assertThat(render(page(), false)).doesNotContain("/settings/objectives/new");
        assertThat(render(page(), true)).contains("/settings/objectives/new");
    }

    @Test
    void texts_of_users_are_escaped() {
        var cycle = acme.cycle("<b>Q4</b>", "active", day(0), day(10));
        acme.objective(cycle, acme.team("R&D"), "\"<script>\"", "at_risk", "0.25", 1);

        assertThat(content())
                .contains("&lt;b&gt;Q4&lt;/b&gt;", "R&amp;D", "&lt;script&gt;")
                .doesNotContain("<b>Q4", "<script>", "{it", "NOT_FOUND");
    }

    @Test
    void the_chart_has_a_name_a_description_and_its_numbers_as_a_table() {
        var cycle = acme.cycle();
        acme.objective(cycle, null, "Grow", "behind", "0.25", 1);

        assertThat(content())
                .contains(
                        "role=\"img\" aria-labelledby=\"chart-title chart-description\"",
                        "<title id=\"chart-title\">Progress of Ten days over time</title>",
                        "<desc id=\"chart-description\">Progress is 25% after 50% of the time, "
                                + "25 points behind a steady pace. From 0% on 1 Oct 2026 to 25% on 6 Oct 2026.</desc>",
                        "<th scope=\"row\">6 Oct 2026, now</th><td>25%</td><td>50%</td>");
    }

    @Test
    void only_the_stylesheet_styles_the_page() {
        var cycle = acme.cycle();
        acme.objective(cycle, null, "Grow", "completed", "1", 1);

        assertThat(content()).doesNotContain("style=", "<style", "fill=", "stroke=");
    }

    private String content() {
        return render(page(), false);
    }

    private OverviewPage page() {
        return acme.overviews()
                .read(acme.organization, null, day(5))
                .map(OverviewPage::of)
                .orElseThrow();
    }

    private static String render(@Nullable OverviewPage page, boolean isWriter) {
        var shell = new Shell("overview", "Ann", "Acme", false, isWriter, false, true, true, "", null, "", "");
        return ENGINE.getTemplate("settings/overview-content.html")
                .data("page", page, "shell", shell)
                .render();
    }

    private static Engine engine() {
        var builder = Engine.builder()
                .addDefaults()
                .addValueResolver(new ReflectionValueResolver())
                .addResultMapper(new HtmlEscaper(List.of(Variant.TEXT_HTML)))
                .addLocator(OverviewTemplateTest::locate);
        for (var tag : List.of("statusshape", "statusbar", "statuscounts", "progresschart")) {
            builder.addSectionHelper(new UserTagSectionHelper.Factory(tag, "tags/" + tag + ".html"));
        }
        return builder.build();
    }

    private static Optional<TemplateLocation> locate(String path) {
        var resource = OverviewTemplateTest.class.getResource("/templates/" + path);
        return Optional.ofNullable(resource).map(url -> new TemplateLocation() {
            @Override
            public Reader read() {
                try {
                    return new InputStreamReader(url.openStream(), StandardCharsets.UTF_8);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }

            @Override
            public Optional<Variant> getVariant() {
                return Optional.of(Variant.forContentType(Variant.TEXT_HTML));
            }
        });
    }
}
