package dev.okr.platform.errors;

/**
 * An error in one field of a request body.
 *
 * @param pointer the field's JSON Pointer (RFC 6901)
 * @param code a stable snake_case code, such as {@code required}
 * @param detail a sentence for the caller
 */
public record FieldError(String pointer, String code, String detail) {}
