package dev.okr.operations.moving;

import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The state of an import. */
@Schema(name = "ImportStatus", description = "The state of an import.", examples = "succeeded")
public enum ImportStatus {
    PENDING,
    RUNNING,
    SUCCEEDED,
    FAILED
}
