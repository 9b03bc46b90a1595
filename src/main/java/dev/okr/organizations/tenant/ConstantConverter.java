package dev.okr.organizations.tenant;

import dev.okr.platform.http.Constants;
import jakarta.persistence.AttributeConverter;
import org.jspecify.annotations.Nullable;

/** Stores an enum constant as the API writes it. */
public abstract class ConstantConverter<E extends Enum<E>> implements AttributeConverter<E, String> {
    private final Class<E> type;

    protected ConstantConverter(Class<E> type) {
        this.type = type;
    }

    @Override
    public @Nullable String convertToDatabaseColumn(@Nullable E constant) {
        return constant == null ? null : Constants.format(constant);
    }

    @Override
    public @Nullable E convertToEntityAttribute(@Nullable String column) {
        return column == null ? null : Constants.parse(type, column).orElseThrow();
    }
}
