package dev.okr.organizations;

/** The role of a user in the organisation. Each role includes the ones before it. */
public enum Role {
    VIEWER,
    MEMBER,
    ADMIN;

    public boolean includes(Role other) {
        return compareTo(other) >= 0;
    }
}
