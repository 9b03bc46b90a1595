package dev.okr.access;

/** What an API key may be used for (contract, section 3). None includes another. */
public enum Scope {
    /** Every GET but webhooks and events. */
    READ,
    /** Every other operation but webhooks and events. */
    WRITE,
    /** All of webhooks and events. */
    WEBHOOKS
}
