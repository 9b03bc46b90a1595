package dev.okr.access.limits;

import java.util.UUID;

/** Whose quota it is. */
record ApiKeyId(UUID organizationId, UUID keyId) {}
