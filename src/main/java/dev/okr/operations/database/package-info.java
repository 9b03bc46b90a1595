/** What the service needs before it can start: its database, or an embedded one, and its encryption key. */
@NullMarked
package dev.okr.operations.database;

import org.jspecify.annotations.NullMarked;
