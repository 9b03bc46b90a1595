/** What a start requires: a database, which may be embedded, and an encryption key. */
@NullMarked
package dev.okr.operations.database;

import org.jspecify.annotations.NullMarked;
