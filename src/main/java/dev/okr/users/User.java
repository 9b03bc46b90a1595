package dev.okr.users;

import dev.okr.http.ListQuery;
import dev.okr.http.Slice;
import dev.okr.organizations.ConstantConverter;
import dev.okr.organizations.TenantEntity;
import io.quarkus.hibernate.orm.panache.Panache;
import jakarta.persistence.Column;
import jakarta.persistence.Converter;
import jakarta.persistence.Entity;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.hibernate.annotations.Immutable;
import org.jspecify.annotations.Nullable;

/** A person with access. The API only reads them. */
@Entity
@Immutable
@Table(name = "users")
public class User extends TenantEntity {
    @Column(name = "name")
    String name;

    @Column(name = "email")
    String email;

    @Column(name = "role")
    Role role;

    @Column(name = "created_at")
    Instant createdAt;

    public static boolean exists(UUID id) {
        return count("id", id) > 0;
    }

    public static User require(UUID id) {
        return User.<User>find("id", id).singleResult();
    }

    /** The users of the organisation, or of one of its teams, by name. */
    public static Slice<User> list(ListQuery query, @Nullable UUID teamId) {
        var condition = teamId == null
                ? ""
                : " where exists (select 1 from TeamMember m where m.userId = u.id and m.teamId = :teamId)";
        var session = Panache.getSession();
        var count = session.createSelectionQuery("select count(*) from User u" + condition, Long.class);
        var rows = session.createSelectionQuery("from User u" + condition + " order by u.name, u.id", User.class);
        if (teamId != null) {
            count.setParameter("teamId", teamId);
            rows.setParameter("teamId", teamId);
        }
        long total = count.getSingleResult();
        if (query.offset() >= total) {
            return new Slice<>(List.of(), total, null);
        }
        rows.setFirstResult(Math.toIntExact(query.offset())).setMaxResults(query.perPage());
        return new Slice<>(rows.getResultList(), total, null);
    }

    /** Stores roles in lower case. */
    @Converter(autoApply = true)
    static class RoleConverter extends ConstantConverter<Role> {
        RoleConverter() {
            super(Role.class);
        }
    }
}
