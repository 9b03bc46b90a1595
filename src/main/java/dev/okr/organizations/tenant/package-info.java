/** The organisation that a request works for, and the base of entities and SQL that belong to one organisation. */
@NullMarked
package dev.okr.organizations.tenant;

import org.jspecify.annotations.NullMarked;
