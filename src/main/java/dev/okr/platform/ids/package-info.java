/** Identifiers: UUIDs in the database, TypeIDs in the API. */
@NullMarked
package dev.okr.platform.ids;

import org.jspecify.annotations.NullMarked;
