package dev.okr.organizations.tenant;

import dev.okr.platform.http.EnumNames;
import jakarta.persistence.AttributeConverter;
import org.jspecify.annotations.Nullable;

/** Stores an enum constant in the form that the API uses. */
public abstract class EnumConverter<E extends Enum<E>> implements AttributeConverter<E, String> {
    private final Class<E> type;

    protected EnumConverter(Class<E> type) {
        this.type = type;
    }

    @Override
    public @Nullable String convertToDatabaseColumn(@Nullable E constant) {
        return constant == null ? null : EnumNames.format(constant);
    }

    @Override
    public @Nullable E convertToEntityAttribute(@Nullable String column) {
        return column == null ? null : EnumNames.parse(type, column).orElseThrow();
    }
}
