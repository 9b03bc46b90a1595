package dev.okr.console;

import java.io.InputStream;

/**
 * A file that was sent with a form.
 *
 * @param content must be read before the response starts
 */
public record UploadedFile(InputStream content, boolean isCompressed) {}
