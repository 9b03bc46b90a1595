package dev.okr.organizations.audit;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which entries of the audit log to read.
 *
 * @param actions null for all
 * @param userIds the users who acted, at least one; null for all actors
 * @param from the first time; null for the start of the log
 * @param until the first time after the entries; null for the end of the log
 */
public record AuditFilter(
        @Nullable List<AuditAction> actions,
        @Nullable List<UUID> userIds,
        @Nullable Instant from,
        @Nullable Instant until) {}
