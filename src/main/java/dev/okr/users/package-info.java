/** People with access to an organisation, and their roles. */
@NullMarked
package dev.okr.users;

import org.jspecify.annotations.NullMarked;
