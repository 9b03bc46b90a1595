/** The service's clock and the text form of its timestamps. */
@NullMarked
package dev.okr.platform.time;

import org.jspecify.annotations.NullMarked;
