package dev.okr.console.objectives;

import dev.okr.console.ConsolePath;
import dev.okr.console.FormFields;
import dev.okr.console.overview.OverviewWords;
import dev.okr.objectives.explanation.Contribution;
import dev.okr.objectives.explanation.ContributionType;
import dev.okr.objectives.explanation.ProgressExplanation;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/**
 * The chart of what counts for a progress. The width of each bar is its share. The filled part is its points. The bars
 * are next to each other from 0 to 100%, so the filled parts add up to the progress.
 */
public record ContributionBars(List<Bar> bars) {
    /** The width of the whole chart, so that positions are percentages. */
    private static final BigDecimal WIDTH = BigDecimal.valueOf(100);

    /**
     * @param x where its share begins
     * @param width the width of the share
     * @param filled the width of the points
     * @param points as {@code +33 points}
     */
    public record Bar(
            String href,
            String title,
            boolean keyResult,
            String weight,
            String share,
            String progress,
            String points,
            BigDecimal x,
            BigDecimal width,
            BigDecimal filled) {}

    static ContributionBars of(ProgressExplanation explanation) {
        var bars = new ArrayList<Bar>();
        var x = BigDecimal.ZERO;
        for (var each : explanation.contributions()) {
            var width = each.share().multiply(WIDTH).stripTrailingZeros();
            bars.add(bar(each, x, width));
            x = x.add(width);
        }
        return new ContributionBars(bars);
    }

    private static Bar bar(Contribution contribution, BigDecimal x, BigDecimal width) {
        boolean isKeyResult = contribution.type() == ContributionType.KEY_RESULT;
        int points = OverviewWords.percent(contribution.points());
        return new Bar(
                isKeyResult ? ConsolePath.keyResult(contribution.id()) : ConsolePath.objective(contribution.id()),
                contribution.title(),
                isKeyResult,
                FormFields.plain(contribution.weight()),
                OverviewWords.percentage(contribution.share()),
                OverviewWords.percentage(contribution.progress()),
                "%d %s".formatted(points, points == 1 ? "point" : "points"),
                plain(x),
                plain(width),
                plain(contribution.points().multiply(WIDTH)));
    }

    private static BigDecimal plain(BigDecimal value) {
        return new BigDecimal(FormFields.plain(value));
    }
}
