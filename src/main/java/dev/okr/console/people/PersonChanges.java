package dev.okr.console.people;

import dev.okr.organizations.Role;
import dev.okr.organizations.UserWriter;
import dev.okr.organizations.audit.AuditLog;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.RetriedTransaction;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.UUID;

/** The changes that admins make to people, each in one transaction. */
@ApplicationScoped
class PersonChanges {
    private final Caller caller;
    private final AuditLog audit;

    PersonChanges(Caller caller, AuditLog audit) {
        this.caller = caller;
        this.audit = audit;
    }

    /** @throws Failure a conflict if the address is in use */
    @RetriedTransaction
    UUID invite(String name, String email, Role role) {
        return audit.change(change -> new UserWriter(change).invite(name, email, role));
    }

    /** @throws Failure a conflict if the organisation would have no active admin left */
    @RetriedTransaction
    void changeRole(String id, Role role) {
        var userId = parse(id);
        audit.run(change -> new UserWriter(change).changeRole(userId, role));
    }

    /** @throws Failure a conflict if the caller would deactivate themselves */
    @RetriedTransaction
    void deactivate(String id) {
        var userId = parse(id);
        if (userId.equals(caller.userId())) {
            throw Failure.conflict("You cannot deactivate yourself. Ask another admin.");
        }
        audit.run(change -> new UserWriter(change).deactivate(userId));
    }

    /** @throws Failure a conflict if the user's personal data were erased */
    @RetriedTransaction
    void reactivate(String id) {
        var userId = parse(id);
        audit.run(change -> new UserWriter(change).reactivate(userId));
    }

    private static UUID parse(String id) {
        return IdKind.USER.parse(id).orElseThrow(() -> Failure.notFound("user"));
    }
}
