/** Check-ins: the history of a key result's value. */
@NullMarked
package dev.okr.checkins;

import org.jspecify.annotations.NullMarked;
