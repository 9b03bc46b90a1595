package dev.okr.organizations.audit;

import dev.okr.platform.ids.IdKind;

/** The kind of change that an audit entry records. */
public enum AuditAction {
    API_KEY_CREATED(IdKind.API_KEY, "created"),
    API_KEY_CHANGED(IdKind.API_KEY, "changed"),
    API_KEY_ROTATED(IdKind.API_KEY, "rotated"),
    API_KEY_REVOKED(IdKind.API_KEY, "revoked"),
    USER_INVITED(IdKind.USER, "invited"),
    USER_RENAMED(IdKind.USER, "renamed"),
    USER_ROLE_CHANGED(IdKind.USER, "changed the role of"),
    USER_DEACTIVATED(IdKind.USER, "deactivated"),
    USER_REACTIVATED(IdKind.USER, "reactivated"),
    USER_ERASED(IdKind.USER, "erased the data of"),
    TEAM_CREATED(IdKind.TEAM, "created"),
    TEAM_RENAMED(IdKind.TEAM, "renamed"),
    TEAM_EXTERNAL_ID_CHANGED(IdKind.TEAM, "changed the external id of"),
    TEAM_DELETED(IdKind.TEAM, "deleted"),
    TEAM_MEMBER_SET(IdKind.TEAM, "set a member of"),
    TEAM_MEMBER_REMOVED(IdKind.TEAM, "removed a member from"),
    WEBHOOK_CREATED(IdKind.WEBHOOK, "created"),
    WEBHOOK_CHANGED(IdKind.WEBHOOK, "changed"),
    WEBHOOK_DELETED(IdKind.WEBHOOK, "deleted"),
    WEBHOOK_DEACTIVATED(IdKind.WEBHOOK, "deactivated"),
    WEBHOOK_SECRET_ROTATED(IdKind.WEBHOOK, "rotated the secret of"),
    WEBHOOK_SECRET_REENCRYPTED(IdKind.WEBHOOK, "re-encrypted the secret of"),
    WEBHOOK_PINGED(IdKind.WEBHOOK, "pinged"),
    WEBHOOK_RECOVERED(IdKind.WEBHOOK, "recovered"),
    WEBHOOK_REDELIVERED(IdKind.WEBHOOK, "redelivered an event to"),
    ORGANIZATION_CREATED(IdKind.ORGANIZATION, "created"),
    ORGANIZATION_RENAMED(IdKind.ORGANIZATION, "renamed"),
    ORGANIZATION_PLAN_CHANGED(IdKind.ORGANIZATION, "changed the plan of"),
    ORGANIZATION_DATA_IMPORTED(IdKind.ORGANIZATION, "imported data into");

    private final IdKind subject;
    private final String verb;

    AuditAction(IdKind subject, String verb) {
        this.subject = subject;
        this.verb = verb;
    }

    public IdKind subject() {
        return subject;
    }

    /** The verb between the actor and the subject in a sentence. */
    public String verb() {
        return verb;
    }
}
