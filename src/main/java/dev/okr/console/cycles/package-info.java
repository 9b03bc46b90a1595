/** The pages that set up, close and carry over cycles. */
@NullMarked
package dev.okr.console.cycles;

import org.jspecify.annotations.NullMarked;
