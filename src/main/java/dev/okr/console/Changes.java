package dev.okr.console;

import dev.okr.organizations.audit.AuditLog;
import dev.okr.platform.transactions.RetriedTransaction;
import jakarta.enterprise.context.ApplicationScoped;
import org.jspecify.annotations.Nullable;

/** Makes changes for the user of the page, each in one transaction. The transaction is retried after a conflict. */
@ApplicationScoped
public class Changes {
    private final AuditLog audit;

    Changes(AuditLog audit) {
        this.audit = audit;
    }

    /** Makes a change and returns its result. */
    @RetriedTransaction
    public <T extends @Nullable Object> T make(AuditLog.Work<T> work) {
        return audit.change(work);
    }

    /** Makes a change that ends the access of a user or of an API key. It stops an import of the organisation. */
    @RetriedTransaction
    public void endAccess(AuditLog.Step step) {
        audit.shareAccessLock();
        audit.run(step);
    }

    /** Makes a change that has no result. */
    @RetriedTransaction
    public void run(AuditLog.Step step) {
        audit.run(step);
    }
}
