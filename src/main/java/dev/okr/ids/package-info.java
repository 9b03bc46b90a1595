/** Identifiers: UUIDs inside, TypeIDs outside. */
@NullMarked
package dev.okr.ids;

import org.jspecify.annotations.NullMarked;
