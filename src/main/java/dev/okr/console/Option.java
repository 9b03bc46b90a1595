package dev.okr.console;

/**
 * An option of a form field.
 *
 * @param value the submitted value
 * @param label the displayed text
 * @param hint an additional text; may be empty
 */
public record Option(String value, String label, String hint) {}
