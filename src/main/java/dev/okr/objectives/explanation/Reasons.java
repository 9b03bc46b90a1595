package dev.okr.objectives.explanation;

import dev.okr.objectives.progress.Progress;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The sentences that explain the progress of an objective. API, console and MCP show the same sentences. */
final class Reasons {
    /** Further contributions of the same kind are counted in one sentence. */
    private static final int MAX_NAMED = 3;

    private final ProgressExplanation.Subject subject;
    private final List<Contribution> contributions;
    private final List<String> sentences = new ArrayList<>();

    private Reasons(ProgressExplanation.Subject subject, List<Contribution> contributions) {
        this.subject = subject;
        this.contributions = contributions;
    }

    static List<String> of(ProgressExplanation.Subject subject, List<Contribution> contributions) {
        var reasons = new Reasons(subject, contributions);
        reasons.explain();
        return List.copyOf(reasons.sentences);
    }

    private void explain() {
        if (subject.closed()) {
            sentences.add("The cycle is closed, so the progress no longer changes.");
            if (calculated().compareTo(subject.progress()) != 0) {
                sentences.add("Contributing objectives of other cycles have changed since then, "
                        + "so the points do not add up to the final progress.");
                return;
            }
        }
        if (contributions.isEmpty()) {
            sentences.add("The objective has no key results and no contributing objectives, so its progress is 0 %.");
        } else if (isAll(each -> each.weight().signum() == 0)) {
            sentences.add("All weights are 0, so nothing counts and the progress is 0 %.");
        } else {
            nameEach(
                    each -> each.weight().signum() == 0,
                    "%s has the weight 0, so it does not count.",
                    "have the weight 0");
        }
        explainCheckIns();
        nameEach(
                Contribution::movesAway,
                "%s moves away from its target. It started at %s, its target is %s, and its value is %s.",
                "move away from their targets");
        explainChildren();
        if (!contributions.isEmpty() && isAll(each -> each.progress().compareTo(BigDecimal.ONE) == 0)) {
            sentences.add("Everything that counts has reached its target.");
        }
    }

    /** The progress that the objective would have in an open cycle. */
    private BigDecimal calculated() {
        var sum = BigDecimal.ZERO;
        var weights = BigDecimal.ZERO;
        for (var each : contributions) {
            sum = sum.add(each.weight().multiply(each.progress()));
            weights = weights.add(each.weight());
        }
        return Progress.mean(sum, weights);
    }

    private void explainCheckIns() {
        long keyResults = count(Contribution::isKeyResult);
        long without = count(each -> each.isKeyResult() && each.lastCheckInAt() == null);
        if (without > 0 && without == keyResults) {
            sentences.add(
                    keyResults == 1
                            ? "The key result has no check-in yet."
                            : "None of the %d key results has a check-in yet.".formatted(keyResults));
        } else if (without > 0) {
            sentences.add("%d of %d key results %s no check-in yet."
                    .formatted(without, keyResults, without == 1 ? "has" : "have"));
        }
    }

    private void explainChildren() {
        long children = contributions.size() - count(Contribution::isKeyResult);
        long without = count(each -> !each.isKeyResult() && each.progress().signum() == 0);
        if (without > 0) {
            sentences.add(
                    children == 1
                            ? "The contributing objective has no progress yet."
                            : "%d of %d contributing objectives %s no progress yet."
                                    .formatted(without, children, without == 1 ? "has" : "have"));
        }
        if (subject.supporting() > 0) {
            sentences.add(
                    subject.supporting() == 1
                            ? "One objective only supports this one, so its progress does not count."
                            : "%d objectives only support this one, so their progress does not count."
                                    .formatted(subject.supporting()));
        }
    }

    /**
     * Adds a sentence for each of the first matching contributions. If there are more, one sentence counts the others.
     *
     * @param sentence its arguments are the title, the start, the target and the current value
     */
    private void nameEach(Predicate<Contribution> isMeant, String sentence, String predicate) {
        var meant = contributions.stream().filter(isMeant).toList();
        meant.stream()
                .limit(MAX_NAMED)
                .map(each -> sentence.formatted(
                        '“' + each.title() + '”',
                        text(each.startValue()),
                        text(each.targetValue()),
                        text(each.currentValue())))
                .forEach(sentences::add);
        int more = meant.size() - MAX_NAMED;
        if (more > 0) {
            sentences.add("%d more %s.".formatted(more, predicate));
        }
    }

    private static String text(@Nullable BigDecimal value) {
        return value == null ? "" : value.stripTrailingZeros().toPlainString();
    }

    private boolean isAll(Predicate<Contribution> predicate) {
        return contributions.stream().allMatch(predicate);
    }

    private long count(Predicate<Contribution> predicate) {
        return contributions.stream().filter(predicate).count();
    }
}
