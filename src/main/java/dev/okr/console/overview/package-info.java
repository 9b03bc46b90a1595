/** The overview page with the progress of a cycle. */
@NullMarked
package dev.okr.console.overview;

import org.jspecify.annotations.NullMarked;
