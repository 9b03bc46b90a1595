package dev.okr.operations.moving;

/**
 * How to import a file.
 *
 * @param notifies whether webhooks receive the events
 * @param byCommand whether a command runs the import, instead of a replica
 */
record ImportOptions(boolean isDryRun, boolean notifies, boolean byCommand, boolean isCompressed) {}
