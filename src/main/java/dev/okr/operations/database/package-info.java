/** The requirements of a start: a database, which may be embedded, and an encryption key. */
@NullMarked
package dev.okr.operations.database;

import org.jspecify.annotations.NullMarked;
