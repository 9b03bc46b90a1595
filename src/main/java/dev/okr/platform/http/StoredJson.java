package dev.okr.platform.http;

/**
 * The JSON of a response that was stored. {@link JsonWriter} sends it in parts, like other responses. The framework
 * would copy an array of bytes into direct memory, and keep it there while the client does not read.
 */
public record StoredJson(byte[] bytes) {}
