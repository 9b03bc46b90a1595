package dev.okr.console;

import dev.okr.objectives.teams.CountedTeam;
import dev.okr.platform.ids.IdKind;

/** A team as pages show it. */
public record TeamRow(String id, String name, long members, long objectives) {
    static TeamRow of(CountedTeam counted) {
        return new TeamRow(
                IdKind.TEAM.format(counted.team().id()),
                counted.team().name(),
                counted.members(),
                counted.objectives());
    }
}
