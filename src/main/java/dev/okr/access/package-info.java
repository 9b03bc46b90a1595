/** API keys, their authentication, and the permissions of operations. */
@NullMarked
package dev.okr.access;

import org.jspecify.annotations.NullMarked;
