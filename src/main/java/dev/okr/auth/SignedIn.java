package dev.okr.auth;

import dev.okr.users.Role;
import java.util.UUID;

/** A person who is known to be who they are, and what they may do. */
public record SignedIn(UUID organizationId, UUID userId, Role role) {}
