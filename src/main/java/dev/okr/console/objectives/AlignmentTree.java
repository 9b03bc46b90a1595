package dev.okr.console.objectives;

import dev.okr.console.FormFields;
import dev.okr.console.overview.OverviewWords;
import dev.okr.console.overview.StatusShare;
import dev.okr.objectives.AlignmentType;
import dev.okr.objectives.overview.AlignmentView;
import dev.okr.objectives.overview.ObjectiveView;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The place of an objective in the tree of alignments.
 *
 * @param paths each chain of objectives above it, highest first
 * @param parents the objectives directly above it
 * @param children the objectives directly below it
 */
public record AlignmentTree(List<List<Node>> paths, List<Node> parents, List<Node> children) {
    /** An objective with several parents can have very many chains above it. */
    private static final int MAX_PATHS = 8;

    /**
     * An objective at the other end of an alignment.
     *
     * @param counts whether its alignment counts for the progress of the parent
     */
    public record Node(
            String id,
            String title,
            String status,
            String statusLabel,
            String progress,
            int percent,
            boolean counts,
            String alignment,
            String weight) {}

    static AlignmentTree of(ObjectiveView objective) {
        var above = objective.alignments().stream().filter(AlignmentView::above).toList();
        var paths = new ArrayList<List<Node>>();
        collect(objective.id(), List.of(), above, paths);
        return new AlignmentTree(
                paths,
                above.stream()
                        .filter(each -> each.childId().equals(objective.id()))
                        .map(AlignmentTree::node)
                        .toList(),
                objective.alignments().stream()
                        .filter(each -> !each.above())
                        .map(AlignmentTree::node)
                        .toList());
    }

    public boolean isEmpty() {
        return parents.isEmpty() && children.isEmpty();
    }

    /** Adds each chain that ends with this path. Alignments never form a loop. */
    private static void collect(UUID child, List<Node> path, List<AlignmentView> above, List<List<Node>> paths) {
        var parents =
                above.stream().filter(each -> each.childId().equals(child)).toList();
        if (parents.isEmpty() && !path.isEmpty() && paths.size() < MAX_PATHS) {
            paths.add(path);
        }
        for (var parent : parents) {
            if (paths.size() < MAX_PATHS) {
                var longer = new ArrayList<Node>();
                longer.add(node(parent));
                longer.addAll(path);
                collect(parent.parentId(), longer, above, paths);
            }
        }
    }

    private static Node node(AlignmentView alignment) {
        var other = alignment.above() ? alignment.parentId() : alignment.childId();
        return new Node(
                IdKind.OBJECTIVE.format(other),
                alignment.title(),
                EnumNames.format(alignment.status()),
                StatusShare.label(alignment.status()),
                OverviewWords.percentage(alignment.progress()),
                OverviewWords.percent(alignment.progress()),
                alignment.type() == AlignmentType.CONTRIBUTES_TO,
                IdKind.ALIGNMENT.format(alignment.id()),
                FormFields.plain(alignment.weight()));
    }
}
