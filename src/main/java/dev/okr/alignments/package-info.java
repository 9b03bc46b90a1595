/** Alignments between objectives, kept free of loops. */
@NullMarked
package dev.okr.alignments;

import org.jspecify.annotations.NullMarked;
