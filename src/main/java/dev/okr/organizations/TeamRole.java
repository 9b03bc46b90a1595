package dev.okr.organizations;

/** The role of a member in a team. A lead may delete the team's objectives. */
public enum TeamRole {
    LEAD,
    MEMBER
}
