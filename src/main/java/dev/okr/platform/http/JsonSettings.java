package dev.okr.platform.http;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.module.SimpleModule;
import dev.okr.platform.time.Timestamps;
import io.quarkus.jackson.ObjectMapperCustomizer;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Instant;

/** The JSON format of numbers, timestamps and enum constants. */
@Singleton
public class JsonSettings implements ObjectMapperCustomizer {

    /** Runs last. If a type has two serializers, Jackson uses the one that was added later. */
    @Override
    public int priority() {
        return MINIMUM_PRIORITY;
    }

    @Override
    public void customize(ObjectMapper mapper) {
        var module = new SimpleModule("okr");
        module.addSerializer(BigDecimal.class, new DecimalSerializer());
        module.addSerializer(Instant.class, new TimestampSerializer());
        module.addSerializer(Enum.class, new ConstantSerializer());
        mapper.registerModule(module);
        mapper.getFactory()
                .configure(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN.mappedFeature(), true)
                // Otherwise Jackson needs twelve bytes for such a character, and not four.
                .configure(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8.mappedFeature(), true);
    }

    /** Writes decimals without exponent and trailing zeros. */
    private static final class DecimalSerializer extends JsonSerializer<BigDecimal> {
        @Override
        public void serialize(BigDecimal value, JsonGenerator json, SerializerProvider provider) throws IOException {
            json.writeNumber(value.stripTrailingZeros().toPlainString());
        }
    }

    private static final class TimestampSerializer extends JsonSerializer<Instant> {
        @Override
        public void serialize(Instant value, JsonGenerator json, SerializerProvider provider) throws IOException {
            json.writeString(Timestamps.format(value));
        }
    }

    @SuppressWarnings("rawtypes")
    private static final class ConstantSerializer extends JsonSerializer<Enum> {
        @Override
        public void serialize(Enum value, JsonGenerator json, SerializerProvider provider) throws IOException {
            json.writeString(EnumNames.format(value));
        }
    }
}
