/** Shared classes of an import: staged lines, references, errors and counts. */
@NullMarked
package dev.okr.objectives.moving;

import org.jspecify.annotations.NullMarked;
