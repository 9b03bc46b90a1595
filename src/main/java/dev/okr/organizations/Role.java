package dev.okr.organizations;

/** What a user may do in the organisation, each role including the ones before it. */
public enum Role {
    VIEWER,
    MEMBER,
    ADMIN;

    public boolean includes(Role other) {
        return compareTo(other) >= 0;
    }
}
