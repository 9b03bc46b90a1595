package dev.okr.access;

import dev.okr.organizations.Role;
import java.util.UUID;

/** A person who is known to be who they are, and what they may do. */
public record SignedIn(UUID organizationId, UUID userId, Role role) {}
