package dev.okr.objectives;

import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.transactions.Sql;
import java.util.Collection;
import java.util.Collections;
import java.util.UUID;

/**
 * The same statements in two variants: for one objective and for several. With an array, PostgreSQL would plan each
 * execution again, because a kept plan assumes several elements. Most roll-ups have one objective on each level.
 *
 * @param parameters how often the statements name the ids. They have no other parameters.
 */
record ForIds(String one, String many, int parameters) {
    private static final String IDS = "{ids}";

    /** @param statement has {@code {ids}} after each column that is compared with the ids */
    static ForIds of(String statement) {
        int parameters = (statement.length() - statement.replace(IDS, "").length()) / IDS.length();
        return new ForIds(statement.replace(IDS, "= ?"), statement.replace(IDS, "= ANY (?)"), parameters);
    }

    /** Appends other statements, which run in the same round trip. */
    ForIds with(ForIds next) {
        return new ForIds(one + ";\n" + next.one, many + ";\n" + next.many, parameters + next.parameters);
    }

    <T> T results(Sql.ResultsReader<T> reader, Collection<UUID> ids) {
        boolean isOne = ids.size() == 1;
        Object parameter = isOne ? ids.iterator().next() : ids;
        var all = Collections.nCopies(parameters, parameter).toArray();
        return TenantSql.current().results(reader, isOne ? one : many, all);
    }
}
