/** The start page: the check-ins that are due, and the objectives of the user. */
@NullMarked
package dev.okr.console.week;

import org.jspecify.annotations.NullMarked;
