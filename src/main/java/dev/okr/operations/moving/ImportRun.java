package dev.okr.operations.moving;

import io.quarkus.qute.TemplateExtension;
import java.math.BigDecimal;

/** What pages show of an import in addition to its fields. */
@TemplateExtension
public final class ImportRun {
    private ImportRun() {}

    /** The part of the work that is done. */
    static int percent(ImportResponse run) {
        return run.progress().multiply(BigDecimal.valueOf(100)).intValue();
    }

    static boolean finished(ImportResponse run) {
        return run.status() == ImportStatus.SUCCEEDED || run.status() == ImportStatus.FAILED;
    }

    static boolean succeeded(ImportResponse run) {
        return run.status() == ImportStatus.SUCCEEDED;
    }

    /** Whether the file of this dry run can be imported now. */
    static boolean ready(ImportResponse run) {
        return run.dryRun() && succeeded(run) && run.rejected() == 0;
    }

    static String label(ImportResponse run) {
        return switch (run.status()) {
            case PENDING -> "Waiting";
            case RUNNING -> run.dryRun() ? "Checking" : "Importing";
            case SUCCEEDED -> run.dryRun() ? "Checked" : "Imported";
            case FAILED -> "Failed";
        };
    }
}
