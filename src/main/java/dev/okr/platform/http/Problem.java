package dev.okr.platform.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.errors.FieldError;
import dev.okr.platform.tracing.Traces;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of every error: a problem detail (RFC 9457). */
@RegisterForReflection
@Schema(description = "Why a request failed (RFC 9457).")
public record Problem(
        @Schema(
                description = "The address of a page about this kind of problem.",
                format = "uri-reference",
                examples = "/problems/validation_failed")
        String type,

        @Schema(description = "The kind of problem in a few words.", examples = "Some fields are not valid")
        String title,

        @Schema(
                description = "The HTTP status code.",
                minimum = "400",
                maximum = "599",
                format = "int32",
                examples = "422")
        int status,

        @Schema(description = "The reason why this request failed.", examples = "1 field is not valid.")
        String detail,

        @Schema(description = "The path of the request.", format = "uri-reference", examples = "/v1/objectives")
        String instance,

        @Schema(description = "The kind of problem, for programs. Codes are stable.", examples = "validation_failed")
        String code,

        @Schema(
                description = "Identifies the request in the logs of the service.",
                examples = "019b8a1f-2c3d-7e4f-8a5b-6c7d8e9f0a1b")
        String requestId,

        @Schema(
                description =
                        "The trace of the request in the operator's tracing system. Present only if the service sends"
                                + " traces.",
                examples = "4bf92f3577b34da6a3ce929d0e0e4736")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable
        String traceId,

        @Schema(description = "All invalid fields of the body. Present only with `validation_failed`.")
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        List<InvalidField> errors) {

    public static final String MEDIA_TYPE = "application/problem+json";

    private static final String TYPE_PREFIX = "/problems/";

    /** One wrong field. */
    @RegisterForReflection
    @Schema(description = "One invalid field of a request body.")
    public record InvalidField(
            @Schema(description = "The field, as a JSON Pointer (RFC 6901).", examples = "/title")
            String pointer,

            @Schema(description = "The kind of error, for programs. Codes are stable.", examples = "required")
            String code,

            @Schema(description = "The error, for people.", examples = "This field is required.")
            String detail) {
        static InvalidField of(FieldError error) {
            return new InvalidField(error.pointer(), error.code(), error.detail());
        }
    }

    public static Problem of(Failure failure, String path, String requestId) {
        var code = failure.code();
        return new Problem(
                TYPE_PREFIX + code.code(),
                code.title(),
                code.status(),
                failure.detail(),
                path,
                code.code(),
                requestId,
                Traces.currentId(),
                failure.errors().stream().map(InvalidField::of).toList());
    }
}
