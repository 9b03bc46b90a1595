package dev.okr.platform.http;

import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The response to a DELETE. */
@Schema(description = "The deleted resource.")
public record Deleted(
        @Schema(
                description = "The id of the deleted resource.",
                pattern = "^[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}$",
                examples = "obj_01k9m2x7q4e8rvb3t5w6y0zacd")
        String id,

        @Schema(description = "Always true.", examples = "true")
        boolean deleted) {

    public static Data<Deleted> of(String id) {
        return new Data<>(new Deleted(id, true));
    }
}
