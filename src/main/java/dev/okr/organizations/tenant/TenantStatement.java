package dev.okr.organizations.tenant;

import java.util.BitSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A statement of {@link TenantSql}, parsed for the driver.
 *
 * @param text the statement with question marks only
 * @param count the number of question marks
 * @param organizations the indexes of the question marks that stand for the organisation, from 0
 */
record TenantStatement(String text, int count, BitSet organizations) {
    private static final String ORGANIZATION = ":organization";
    private static final char PARAMETER = '?';

    /** @throws IllegalArgumentException if the statement does not contain {@code :organization} */
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
            throw new IllegalArgumentException("The statement does not contain :organization.");
        }
        return new TenantStatement(text.toString(), count, organizations);
    }

    /** The values of all question marks, in their order. */
    @Nullable
    Object[] values(UUID organization, @Nullable Object[] parameters) {
        if (parameters.length != count - organizations.cardinality()) {
            throw new IllegalArgumentException("The number of parameters differs from the number of question marks.");
        }
        var values = new @Nullable Object[count];
        int next = 0;
        for (int i = 0; i < count; i++) {
            values[i] = organizations.get(i) ? organization : parameters[next++];
        }
        return values;
    }
}
