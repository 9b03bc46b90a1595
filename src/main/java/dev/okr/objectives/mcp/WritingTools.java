package dev.okr.objectives.mcp;

import static dev.okr.objectives.mcp.InputSchema.array;
import static dev.okr.objectives.mcp.InputSchema.clearable;
import static dev.okr.objectives.mcp.InputSchema.constant;
import static dev.okr.objectives.mcp.InputSchema.decimal;
import static dev.okr.objectives.mcp.InputSchema.externalId;
import static dev.okr.objectives.mcp.InputSchema.id;
import static dev.okr.objectives.mcp.InputSchema.integer;
import static dev.okr.objectives.mcp.InputSchema.note;
import static dev.okr.objectives.mcp.InputSchema.number;
import static dev.okr.objectives.mcp.InputSchema.time;
import static dev.okr.objectives.mcp.InputSchema.title;

import dev.okr.objectives.AlignmentResource;
import dev.okr.objectives.AlignmentType;
import dev.okr.objectives.AllCheckInsResource;
import dev.okr.objectives.AllKeyResultsResource;
import dev.okr.objectives.CheckInResource;
import dev.okr.objectives.CreateCheckIn;
import dev.okr.objectives.CreateCheckInBatch;
import dev.okr.objectives.KeyResultResource;
import dev.okr.objectives.MetricType;
import dev.okr.objectives.ObjectiveResource;
import dev.okr.objectives.ObjectiveStatus;
import dev.okr.objectives.Weight;
import dev.okr.platform.ids.IdKind;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

/** The tools that write. None of them deletes. */
@ApplicationScoped
class WritingTools {
    private static final String OBJECTIVE_ID = "objective_id";
    private static final String KEY_RESULT_ID = "key_result_id";
    private static final String EXTERNAL_ID = "external_id";
    private static final String WEIGHT = "weight";

    private final CheckInResource checkIns;
    private final AllCheckInsResource allCheckIns;
    private final ObjectiveResource objectives;
    private final KeyResultResource keyResults;
    private final AllKeyResultsResource allKeyResults;
    private final AlignmentResource alignments;

    WritingTools(
            CheckInResource checkIns,
            AllCheckInsResource allCheckIns,
            ObjectiveResource objectives,
            KeyResultResource keyResults,
            AllKeyResultsResource allKeyResults,
            AlignmentResource alignments) {
        this.checkIns = checkIns;
        this.allCheckIns = allCheckIns;
        this.objectives = objectives;
        this.keyResults = keyResults;
        this.allKeyResults = allKeyResults;
        this.alignments = alignments;
    }

    List<Tool> tools() {
        return List.of(
                checkIn(),
                checkInBatch(),
                createObjective(),
                updateObjective(),
                createKeyResult(),
                updateKeyResult(),
                alignObjectives());
    }

    private Tool checkIn() {
        return Tool.adding(
                "check_in",
                "Check in",
                "Record how a key result stands now. Use it whenever somebody reports a number. Send value (the new"
                        + " total) or increment (what was added), never both. It updates all progress.",
                checkInFields(new InputSchema().required(KEY_RESULT_ID, id(IdKind.KEY_RESULT))),
                arguments -> checkIns.createCheckIn(arguments.id(KEY_RESULT_ID), arguments.bodyWithout(KEY_RESULT_ID)));
    }

    private Tool checkInBatch() {
        var item = checkInFields(new InputSchema().required(KEY_RESULT_ID, id(IdKind.KEY_RESULT)));
        return Tool.adding(
                "check_in_batch",
                "Check in on several key results",
                "Record check-ins on several key results, all or none. If it fails, the error names the item. Correct"
                        + " it and send all items again.",
                new InputSchema().required("check_ins", array(item, CreateCheckInBatch.MAX_ITEMS)),
                arguments -> allCheckIns.checkInBatch(arguments.bodyWithout()));
    }

    private static InputSchema checkInFields(InputSchema schema) {
        return schema.optional("value", decimal())
                .optional("increment", decimal())
                .optional("note", note())
                .optional("recorded_at", time())
                .optional("confidence", integer(0, CreateCheckIn.MAX_CONFIDENCE))
                .optional(EXTERNAL_ID, externalId());
    }

    private Tool createObjective() {
        return Tool.adding(
                "create_objective",
                "Create an objective",
                "Create a goal in words, without numbers. Search with find_objectives first, so that it does not exist"
                        + " twice. Then add two to five measures with create_key_result. The owner is you unless owner_id"
                        + " is given.",
                new InputSchema()
                        .required("title", title())
                        .required("cycle_id", id(IdKind.CYCLE))
                        .optional("description", note())
                        .optional("team_id", id(IdKind.TEAM))
                        .optional("owner_id", id(IdKind.USER))
                        .optional(EXTERNAL_ID, externalId()),
                arguments -> objectives.createObjective(arguments.bodyWithout()));
    }

    private Tool updateObjective() {
        return Tool.changing(
                "update_objective",
                "Change an objective",
                "Change fields of an objective. Absent fields stay, null clears. Change the status only if somebody asks"
                        + " for it. Progress cannot be set: check in instead. score and retrospective need a completed"
                        + " cycle that is not closed.",
                new InputSchema()
                        .required(OBJECTIVE_ID, id(IdKind.OBJECTIVE))
                        .optional("title", title())
                        .optional("description", clearable(note()))
                        .optional("status", constant(ObjectiveStatus.class))
                        .optional("owner_id", id(IdKind.USER))
                        .optional("cycle_id", id(IdKind.CYCLE))
                        .optional("team_id", clearable(id(IdKind.TEAM)))
                        .optional("score", clearable(number(0, 1)))
                        .optional("retrospective", clearable(note()))
                        .optional(EXTERNAL_ID, clearable(externalId())),
                arguments ->
                        objectives.updateObjective(arguments.id(OBJECTIVE_ID), arguments.bodyWithout(OBJECTIVE_ID)));
    }

    private Tool createKeyResult() {
        return Tool.adding(
                "create_key_result",
                "Create a key result",
                "Add a measure to an objective: the value at the start and the value to reach. The target may be below"
                        + " the start. boolean goes from 0 to 1. weight (default 1) is its share in the progress.",
                new InputSchema()
                        .required(OBJECTIVE_ID, id(IdKind.OBJECTIVE))
                        .required("title", title())
                        .required("metric_type", constant(MetricType.class))
                        .required("start_value", decimal())
                        .required("target_value", decimal())
                        .optional("owner_id", id(IdKind.USER))
                        .optional(WEIGHT, number(0, Weight.MAX))
                        .optional(EXTERNAL_ID, externalId()),
                arguments ->
                        keyResults.createKeyResult(arguments.id(OBJECTIVE_ID), arguments.bodyWithout(OBJECTIVE_ID)));
    }

    private Tool updateKeyResult() {
        return Tool.changing(
                "update_key_result",
                "Change a key result",
                "Correct the title, the target or the weight of a key result. Absent fields stay. For new numbers use"
                        + " check_in, because current_value leaves no history.",
                new InputSchema()
                        .required(KEY_RESULT_ID, id(IdKind.KEY_RESULT))
                        .optional("title", title())
                        .optional("current_value", decimal())
                        .optional("target_value", decimal())
                        .optional(WEIGHT, number(0, Weight.MAX))
                        .optional("owner_id", id(IdKind.USER))
                        .optional(EXTERNAL_ID, clearable(externalId())),
                arguments -> allKeyResults.updateKeyResultById(
                        arguments.id(KEY_RESULT_ID), arguments.bodyWithout(KEY_RESULT_ID)));
    }

    private Tool alignObjectives() {
        return Tool.adding(
                "align_objectives",
                "Align objectives",
                "Place an objective below a parent. contributes_to counts the child's progress in the parent, supports"
                        + " (the default) only shows the connection. A conflict means that they are aligned already, or"
                        + " that the alignment would close a loop. Do not retry.",
                new InputSchema()
                        .required("parent_objective_id", id(IdKind.OBJECTIVE))
                        .required("child_objective_id", id(IdKind.OBJECTIVE))
                        .optional("alignment_type", constant(AlignmentType.class))
                        .optional(WEIGHT, number(0, Weight.MAX)),
                arguments -> alignments.createAlignment(arguments.bodyWithout()));
    }
}
