/**
 * Applies the staged lines of an import, in batches. {@code ObjectiveImport} lists the steps. The packages of teams and
 * cycles apply their own lines.
 */
@NullMarked
package dev.okr.objectives.imports;

import org.jspecify.annotations.NullMarked;
