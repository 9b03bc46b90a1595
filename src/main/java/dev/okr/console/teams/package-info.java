/** The pages for teams and their members. */
@NullMarked
package dev.okr.console.teams;

import org.jspecify.annotations.NullMarked;
