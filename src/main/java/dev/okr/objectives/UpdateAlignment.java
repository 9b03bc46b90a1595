package dev.okr.objectives;

import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.FieldChange;
import java.math.BigDecimal;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The request to change an alignment. Absent fields keep their values. */
@Schema(name = "UpdateAlignment", description = "Changes of an alignment. Absent fields keep their values.")
public record UpdateAlignment(
        @Schema(
                description = "How much the child counts for the progress of the parent, from 0 to 1000 with at most "
                        + "3 decimals. It has no effect if the child only supports the parent.",
                minimum = "0",
                maximum = "1000",
                examples = "2")
        FieldChange<BigDecimal> weight) {

    static UpdateAlignment read(BodyReader body) {
        var weight = Weight.readChange(body);
        body.verify();
        return new UpdateAlignment(weight);
    }
}
