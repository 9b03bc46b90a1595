/** Organisations, their plans, users and teams. */
@NullMarked
package dev.okr.organizations;

import org.jspecify.annotations.NullMarked;
