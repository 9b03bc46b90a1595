/** The page that shows a cycle as a picture. */
@NullMarked
package dev.okr.console.overview;

import org.jspecify.annotations.NullMarked;
