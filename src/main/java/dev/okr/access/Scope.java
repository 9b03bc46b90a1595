package dev.okr.access;

/** The scope of an API key. No scope includes another. */
public enum Scope {
    /** All reads except those of webhooks and events. */
    READ,
    /** All writes except those of webhooks. */
    WRITE,
    /** All operations on webhooks and events. */
    WEBHOOKS
}
