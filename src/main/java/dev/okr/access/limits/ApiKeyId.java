package dev.okr.access.limits;

import java.util.UUID;

/** The key of a quota. */
record ApiKeyId(UUID organizationId, UUID keyId) {}
