/** The pages for the people of an organisation. */
@NullMarked
package dev.okr.console.people;

import org.jspecify.annotations.NullMarked;
