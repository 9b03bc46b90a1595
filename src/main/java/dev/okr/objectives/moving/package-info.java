/** What all parts of an import share: staged lines, references, errors and counts. */
@NullMarked
package dev.okr.objectives.moving;

import org.jspecify.annotations.NullMarked;
