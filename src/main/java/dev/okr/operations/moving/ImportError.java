package dev.okr.operations.moving;

import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Why a line, or the whole import, was rejected. */
@Schema(name = "ImportError", description = "Why a line of an import, or the whole import, was rejected.")
public record ImportError(
        @Schema(
                description = "The number of the line, from 1. Absent if the error belongs to no line.",
                minimum = "1",
                format = "int32",
                examples = "17")
        @Nullable
        Integer line,

        @Schema(
                description = "The field as a JSON Pointer in the line. Empty for the whole line.",
                examples = "/data/value")
        String pointer,

        @Schema(description = "A stable code, such as `required` or `unknown_reference`.", examples = "required")
        String code,

        @Schema(description = "A sentence for people.", examples = "This field is required.")
        String reason) {}
