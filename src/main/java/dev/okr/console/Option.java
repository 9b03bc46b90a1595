package dev.okr.console;

/**
 * An option of a form field.
 *
 * @param value what is sent
 * @param label what people read
 * @param hint a few words more, empty for none
 */
public record Option(String value, String label, String hint) {}
