/** The tenant: its plan, its entities' base class and Hibernate's view of it. */
@NullMarked
package dev.okr.organizations;

import org.jspecify.annotations.NullMarked;
