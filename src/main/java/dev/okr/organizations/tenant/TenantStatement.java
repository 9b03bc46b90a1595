package dev.okr.organizations.tenant;

import java.util.BitSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A statement of {@link TenantSql} as the driver takes it.
 *
 * @param text with question marks alone
 * @param count how many there are
 * @param organizations which of them, counted from 0, are the organisation
 */
record TenantStatement(String text, int count, BitSet organizations) {
    private static final String ORGANIZATION = ":organization";
    private static final char PARAMETER = '?';

    /** @throws IllegalArgumentException for a statement that does not name the organisation */
    static TenantStatement parse(String statement) {
        var text = new StringBuilder(statement.length());
        var organizations = new BitSet();
        int count = 0;
        int position = 0;
        while (position < statement.length()) {
            char character = statement.charAt(position);
            if (statement.startsWith(ORGANIZATION, position)) {
                organizations.set(count++);
                text.append(PARAMETER);
                position += ORGANIZATION.length();
            } else {
                if (character == PARAMETER) {
                    count++;
                }
                text.append(character);
                position++;
            }
        }
        if (organizations.isEmpty()) {
            throw new IllegalArgumentException("a statement without its organisation");
        }
        return new TenantStatement(text.toString(), count, organizations);
    }

    /** The values of all question marks. */
    @Nullable
    Object[] values(UUID organization, @Nullable Object[] parameters) {
        if (parameters.length != count - organizations.cardinality()) {
            throw new IllegalArgumentException("a statement with another number of question marks than parameters");
        }
        var values = new @Nullable Object[count];
        int next = 0;
        for (int i = 0; i < count; i++) {
            values[i] = organizations.get(i) ? organization : parameters[next++];
        }
        return values;
    }
}
