/** The arithmetic of progress. */
@NullMarked
package dev.okr.progress;

import org.jspecify.annotations.NullMarked;
