package dev.okr.operations.moving;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import dev.okr.objectives.moving.LineType;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.Timestamps;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Writes lines of the exchange format. A field whose value is null is left out. */
final class LineWriter {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build();

    private final JsonGenerator json;
    private long lines;

    LineWriter(OutputStream out) throws IOException {
        json = FACTORY.createGenerator(out);
        json.setRootValueSeparator(null);
    }

    /** The number of lines so far. */
    long lines() {
        return lines;
    }

    /** Begins a line with these data. */
    LineWriter begin(LineType type) throws IOException {
        json.writeStartObject();
        json.writeStringField("type", type.text());
        json.writeObjectFieldStart("data");
        return this;
    }

    void end() throws IOException {
        json.writeEndObject();
        endLine();
    }

    /** The first line, which has no data. */
    void header(Instant exportedAt, String organization) throws IOException {
        json.writeStartObject();
        json.writeStringField("type", LineType.HEADER);
        json.writeNumberField("version", LineType.VERSION);
        time("exported_at", exportedAt).text("organization", organization);
        endLine();
    }

    private void endLine() throws IOException {
        json.writeEndObject();
        json.writeRaw('\n');
        lines++;
    }

    LineWriter id(String field, IdKind kind, @Nullable UUID id) throws IOException {
        return text(field, id == null ? null : kind.format(id));
    }

    LineWriter text(String field, @Nullable String text) throws IOException {
        if (text != null) {
            json.writeStringField(field, text);
        }
        return this;
    }

    LineWriter decimal(String field, @Nullable BigDecimal number) throws IOException {
        if (number != null) {
            json.writeFieldName(field);
            json.writeNumber(number.stripTrailingZeros().toPlainString());
        }
        return this;
    }

    LineWriter integer(String field, @Nullable Number number) throws IOException {
        if (number != null) {
            json.writeNumberField(field, number.longValue());
        }
        return this;
    }

    LineWriter bool(String field, boolean value) throws IOException {
        json.writeBooleanField(field, value);
        return this;
    }

    LineWriter time(String field, @Nullable Instant time) throws IOException {
        return text(field, time == null ? null : Timestamps.formatExact(time));
    }

    LineWriter beginList(String field) throws IOException {
        json.writeArrayFieldStart(field);
        return this;
    }

    LineWriter beginItem() throws IOException {
        json.writeStartObject();
        return this;
    }

    void endItem() throws IOException {
        json.writeEndObject();
    }

    void endList() throws IOException {
        json.writeEndArray();
    }

    /** Must be called at the end. It does not close the stream. */
    void flush() throws IOException {
        json.flush();
    }
}
