package dev.okr.organizations;

import dev.okr.http.ListQuery;
import dev.okr.http.Slice;
import io.quarkus.hibernate.orm.panache.Panache;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.hibernate.query.SelectionQuery;
import org.jspecify.annotations.Nullable;

/**
 * Reads lists that are ordered by creation, newest first, by page number or by cursor. The order ends with the id, so
 * that rows created in the same microsecond keep their place.
 */
public final class NewestFirst<E extends TenantEntity> {
    private final Class<E> entity;
    private final Function<E, Instant> createdAt;
    private final List<String> conditions = new ArrayList<>();
    private final Map<String, Object> parameters = new HashMap<>();
    private final boolean idsTellOrder;

    private NewestFirst(Class<E> entity, Function<E, Instant> createdAt, boolean idsTellOrder) {
        this.entity = entity;
        this.createdAt = createdAt;
        this.idsTellOrder = idsTellOrder;
    }

    /** The list of all rows of an entity that has {@code createdAt}. */
    public static <E extends TenantEntity> NewestFirst<E> of(Class<E> entity, Function<E, Instant> createdAt) {
        return new NewestFirst<>(entity, createdAt, false);
    }

    /** The same of an entity whose ids are made of {@code createdAt} itself, so that no index needs both. */
    public static <E extends TenantEntity> NewestFirst<E> byId(Class<E> entity, Function<E, Instant> createdAt) {
        return new NewestFirst<>(entity, createdAt, true);
    }

    /** Narrows the list to rows whose attribute has this value; null, for a filter not given, narrows nothing. */
    public NewestFirst<E> with(String attribute, @Nullable Object value) {
        return value == null ? this : where("e." + attribute + " = :" + attribute, attribute, value);
    }

    /** Narrows the list by a condition on {@code e} with one parameter. */
    public NewestFirst<E> where(String condition, String parameter, Object value) {
        conditions.add(condition);
        parameters.put(parameter, value);
        return this;
    }

    public Slice<E> slice(ListQuery query) {
        long total = select("select count(*) from ", "", Long.class).getSingleResult();
        if (!query.byCursor() && query.offset() >= total) {
            return new Slice<>(List.of(), total, null);
        }
        var cursor = query.cursor();
        if (cursor != null && idsTellOrder) {
            where("e.id < :idCursor", "idCursor", cursor.id());
        } else if (cursor != null) {
            conditions.add("(e.createdAt, e.id) < (:createdAtCursor, :idCursor)");
            parameters.put("createdAtCursor", cursor.createdAt());
            parameters.put("idCursor", cursor.id());
        }
        var order = idsTellOrder ? " order by e.id desc" : " order by e.createdAt desc, e.id desc";
        var rows = select("from ", order, entity);
        if (!query.byCursor()) {
            rows.setFirstResult(Math.toIntExact(query.offset()));
        }
        // By cursor, one row more tells whether there is a next page.
        rows.setMaxResults(query.byCursor() ? query.perPage() + 1 : query.perPage());
        return query.slice(rows.getResultList(), total, createdAt, TenantEntity::id);
    }

    /**
     * The first rows, without a count of all, of an entity whose ids tell the order.
     *
     * @param before only rows behind this one in the list; null for all
     */
    public List<E> first(@Nullable UUID before, int limit) {
        if (before != null) {
            where("e.id < :before", "before", before);
        }
        return select("from ", " order by e.id desc", entity)
                .setMaxResults(limit)
                .getResultList();
    }

    private <R> SelectionQuery<R> select(String start, String end, Class<R> result) {
        var where = conditions.isEmpty() ? "" : " where " + String.join(" and ", conditions);
        var query =
                Panache.getSession().createSelectionQuery(start + entity.getSimpleName() + " e" + where + end, result);
        parameters.forEach(query::setParameter);
        return query;
    }
}
