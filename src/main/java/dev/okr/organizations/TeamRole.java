package dev.okr.organizations;

/** What a member is to a team. A lead may delete the team's objectives. */
public enum TeamRole {
    LEAD,
    MEMBER
}
