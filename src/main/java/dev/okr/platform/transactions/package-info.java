/** The transaction of a change: retried on deadlock, classified on failure. */
@NullMarked
package dev.okr.platform.transactions;

import org.jspecify.annotations.NullMarked;
