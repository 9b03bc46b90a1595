package dev.okr.operations.demo;

import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.okr.objectives.AlignmentType;
import dev.okr.objectives.MetricType;
import dev.okr.objectives.ObjectiveStatus;
import dev.okr.objectives.progress.Progress;
import dev.okr.organizations.Role;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The content of the demonstration organisation, which is in {@code demo.yaml}. The examples of the OpenAPI document
 * use the entries that have an {@code id}.
 */
record DemoContent(
        String organization,
        List<Person> people,
        List<Team> teams,
        List<Objective> completed,
        List<Objective> active,
        List<Objective> planned,
        List<Alignment> alignments) {
    private static final String FILE = "demo.yaml";

    static DemoContent read() {
        var mapper = YAMLMapper.builder()
                .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
                .build();
        try (var file = Objects.requireNonNull(DemoContent.class.getResourceAsStream(FILE), FILE)) {
            return mapper.readValue(file, DemoContent.class);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The given id, or else a new one. */
    static UUID id(IdKind kind, @Nullable String id, Instant createdAt) {
        return id == null ? UuidV7.at(createdAt) : kind.require(id);
    }

    record Person(@Nullable String id, String login, String name, Role role) {
        String email() {
            return login + "@demo.example";
        }
    }

    /** A team. Its people are identified by their logins. */
    record Team(@Nullable String id, String name, @Nullable String lead, List<String> members) {}

    /** An alignment. Its objectives are identified by their titles. */
    record Alignment(@Nullable String id, String parent, String child, AlignmentType type) {}

    /** @param owner the login of the owner, who also owns the key results and wrote the check-ins */
    record Objective(
            @Nullable String id,
            String title,
            @Nullable String team,
            String owner,
            ObjectiveStatus status,
            @Nullable String description,
            List<KeyResult> keyResults) {
        BigDecimal progress() {
            var sum = keyResults.stream().map(KeyResult::progress).reduce(BigDecimal.ZERO, BigDecimal::add);
            return Progress.mean(sum, keyResults.size());
        }
    }

    record KeyResult(
            @Nullable String id,
            String title,
            MetricType metric,
            BigDecimal start,
            BigDecimal target,
            List<CheckIn> checkIns) {
        BigDecimal current() {
            return checkIns.isEmpty() ? start : checkIns.getLast().value();
        }

        BigDecimal progress() {
            return Progress.between(start, current(), target);
        }
    }

    record CheckIn(
            @Nullable String id, BigDecimal value, @Nullable String note) {}
}
