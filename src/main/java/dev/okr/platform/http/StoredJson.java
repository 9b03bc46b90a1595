package dev.okr.platform.http;

/**
 * A stored response as JSON. {@link JsonWriter} sends it in parts, like other responses. Quarkus would copy a byte array
 * to direct memory, and keep the copy until the client has read it.
 */
public record StoredJson(byte[] bytes) {}
