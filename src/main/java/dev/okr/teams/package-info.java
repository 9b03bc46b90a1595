/** Teams and their members. */
@NullMarked
package dev.okr.teams;

import org.jspecify.annotations.NullMarked;
