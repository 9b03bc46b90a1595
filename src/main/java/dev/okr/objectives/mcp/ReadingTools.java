package dev.okr.objectives.mcp;

import static dev.okr.objectives.mcp.InputSchema.constants;
import static dev.okr.objectives.mcp.InputSchema.described;
import static dev.okr.objectives.mcp.InputSchema.id;
import static dev.okr.objectives.mcp.InputSchema.text;
import static dev.okr.objectives.mcp.InputSchema.time;

import dev.okr.objectives.AllKeyResultsResource;
import dev.okr.objectives.ObjectiveResource;
import dev.okr.objectives.ObjectiveStatus;
import dev.okr.objectives.cycles.CycleResource;
import dev.okr.objectives.cycles.CycleStatus;
import dev.okr.objectives.explanation.ExplanationResource;
import dev.okr.objectives.overview.CycleSummary;
import dev.okr.objectives.overview.CycleSummaryResource;
import dev.okr.organizations.UserResource;
import dev.okr.platform.http.Words;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.Timestamps;
import dev.okr.platform.time.UtcClock;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

/** The tools that only read. */
@ApplicationScoped
class ReadingTools {
    private static final String CYCLE_ID = "cycle_id";
    private static final String OBJECTIVE_ID = "objective_id";
    private static final String STALE_SINCE = "stale_since";
    private static final int MAX_SEARCH_CHARACTERS = Words.MAX_SEARCHED * (Words.MAX_CHARACTERS + 1) - 1;

    private final UserResource users;
    private final CycleResource cycles;
    private final CycleSummaryResource summaries;
    private final ObjectiveResource objectives;
    private final ExplanationResource explanations;
    private final AllKeyResultsResource keyResults;
    private final UtcClock clock;

    ReadingTools(
            UserResource users,
            CycleResource cycles,
            CycleSummaryResource summaries,
            ObjectiveResource objectives,
            ExplanationResource explanations,
            AllKeyResultsResource keyResults,
            UtcClock clock) {
        this.users = users;
        this.cycles = cycles;
        this.summaries = summaries;
        this.objectives = objectives;
        this.explanations = explanations;
        this.keyResults = keyResults;
        this.clock = clock;
    }

    List<Tool> tools() {
        return List.of(
                whoAmI(),
                listCycles(),
                cycleSummary(),
                findObjectives(),
                getObjective(),
                explainProgress(),
                listStaleKeyResults());
    }

    private Tool whoAmI() {
        return Tool.reading(
                "who_am_i",
                "Who am I",
                "The user of the API key: id, role and teams. Use it first when somebody says \"I\" or \"my\". The id is"
                        + " the owner_id of their goals. A viewer cannot change anything.",
                new InputSchema(),
                arguments -> {
                    arguments.none();
                    return users.getOwnUser();
                });
    }

    private Tool listCycles() {
        var input = new InputSchema()
                .optional("status", constants(CycleStatus.class))
                .withPages();
        return Tool.reading(
                "list_cycles",
                "List cycles",
                "Cycles are the periods in which goals are set, mostly quarters. Use it to find a cycle_id. The current"
                        + " cycle has the status active. Newest first.",
                input,
                arguments -> cycles.listCycles(arguments.query(input.names())));
    }

    private Tool cycleSummary() {
        return Tool.reading(
                "cycle_summary",
                "Summarise a cycle",
                "How a cycle stands: progress against the elapsed time, objectives by status, each team, and the number"
                        + " of stale key results. Use it for reports and overviews.",
                new InputSchema().required(CYCLE_ID, id(IdKind.CYCLE)),
                arguments -> summaries.getCycleSummary(arguments.onlyId(CYCLE_ID)));
    }

    private Tool findObjectives() {
        var input = new InputSchema()
                .optional("q", described(text(1, MAX_SEARCH_CHARACTERS), "Words of title or description, any order"))
                .optional(CYCLE_ID, id(IdKind.CYCLE))
                .optional("team_id", id(IdKind.TEAM))
                .optional("owner_id", id(IdKind.USER))
                .optional("status", constants(ObjectiveStatus.class))
                .withPages();
        return Tool.reading(
                "find_objectives",
                "Find objectives",
                "Objectives are goals in words, with a status and a progress from 0 to 1. Use it to find an objective_id,"
                        + " or all objectives of a cycle, team or owner. meta.total counts all matches; read further"
                        + " pages if needed.",
                input,
                arguments -> objectives.listObjectives(arguments.query(input.names())));
    }

    private Tool getObjective() {
        return Tool.reading(
                "get_objective",
                "Get an objective",
                "An objective with its key_results, the numbers that measure it. Use it to find a key_result_id, and"
                        + " before you change anything in it.",
                new InputSchema().required(OBJECTIVE_ID, id(IdKind.OBJECTIVE)),
                arguments -> objectives.getObjective(arguments.onlyId(OBJECTIVE_ID)));
    }

    private Tool explainProgress() {
        return Tool.reading(
                "explain_progress",
                "Explain progress",
                "Why an objective has its progress: the share of each key result and child objective, the expected"
                        + " progress, a suggested status and reasons. Use it for \"why is this at 0 %?\".",
                new InputSchema().required(OBJECTIVE_ID, id(IdKind.OBJECTIVE)),
                arguments -> explanations.explainProgress(arguments.onlyId(OBJECTIVE_ID)));
    }

    private Tool listStaleKeyResults() {
        var input = new InputSchema()
                .optional(STALE_SINCE, described(time(), "Default: 14 days ago"))
                .optional(OBJECTIVE_ID, id(IdKind.OBJECTIVE))
                .optional(CYCLE_ID, id(IdKind.CYCLE))
                .optional("team_id", id(IdKind.TEAM))
                .optional("owner_id", id(IdKind.USER))
                .withPages();
        return Tool.reading(
                "list_stale_key_results",
                "List stale key results",
                "Key results without a check-in since stale_since. Use it to find what needs an update, and whom"
                        + " (owner_id) to ask. Unlike cycle_summary, it includes new key results.",
                input,
                arguments -> {
                    var query = arguments.query(input.names());
                    if (!query.has(STALE_SINCE)) {
                        query.set(STALE_SINCE, Timestamps.format(clock.now().minus(CycleSummary.STALE_AFTER)));
                    }
                    return keyResults.listAllKeyResults(query);
                });
    }
}
