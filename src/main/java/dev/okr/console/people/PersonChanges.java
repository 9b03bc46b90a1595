package dev.okr.console.people;

import dev.okr.events.audit.AuditAction;
import dev.okr.events.audit.AuditLog;
import dev.okr.organizations.Role;
import dev.okr.organizations.User;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.RetriedTransaction;
import jakarta.enterprise.context.ApplicationScoped;

/**
 * Changes to people by admins, each in one transaction with its entry in the audit log. The entries contain no names.
 */
@ApplicationScoped
class PersonChanges {
    private final Caller caller;
    private final AuditLog audit;
    private final UtcClock clock;

    PersonChanges(Caller caller, AuditLog audit, UtcClock clock) {
        this.caller = caller;
        this.audit = audit;
        this.clock = clock;
    }

    /** @throws Failure a conflict if the address is in use */
    @RetriedTransaction
    User invite(String name, String email, Role role) {
        var user = User.invite(name, email, role, clock.now());
        audit.record(AuditAction.USER_INVITED, user.id(), null, EnumNames.format(role));
        return user;
    }

    /** @throws Failure a conflict if no admin would be left */
    @RetriedTransaction
    void changeRole(String id, Role role) {
        var user = User.requireLocked(id);
        var old = user.role();
        if (old != role) {
            user.changeRole(role);
            var detail = EnumNames.format(old) + " to " + EnumNames.format(role);
            audit.record(AuditAction.USER_ROLE_CHANGED, user.id(), null, detail);
        }
    }

    /** @throws Failure a conflict if it is the caller, so that admins do not lock themselves out */
    @RetriedTransaction
    void deactivate(String id) {
        var user = User.requireLocked(id);
        if (isOwn(user)) {
            throw Failure.conflict("You cannot deactivate yourself. Ask another admin.");
        }
        if (user.isActive()) {
            user.deactivate(clock.now());
            audit.record(AuditAction.USER_DEACTIVATED, user.id(), null, null);
        }
    }

    /** @throws Failure a conflict if the person's data were erased */
    @RetriedTransaction
    void reactivate(String id) {
        var user = User.requireLocked(id);
        if (!user.isActive()) {
            user.reactivate();
            audit.record(AuditAction.USER_REACTIVATED, user.id(), null, null);
        }
    }

    private boolean isOwn(User user) {
        return user.id().equals(caller.userId());
    }
}
