/** Organisations: their plans, their users, and the users' teams. */
@NullMarked
package dev.okr.organizations;

import org.jspecify.annotations.NullMarked;
