/** The transaction of a change: retried on deadlock, classified on failure. */
@NullMarked
package dev.okr.transactions;

import org.jspecify.annotations.NullMarked;
