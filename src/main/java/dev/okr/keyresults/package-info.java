/** Key results and the arithmetic of progress. */
@NullMarked
package dev.okr.keyresults;

import org.jspecify.annotations.NullMarked;
