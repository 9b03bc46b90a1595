/** Identifiers: UUIDs inside, TypeIDs outside. */
@NullMarked
package dev.okr.platform.ids;

import org.jspecify.annotations.NullMarked;
