/** The pages of objectives and their key results. */
@NullMarked
package dev.okr.console.objectives;

import org.jspecify.annotations.NullMarked;
