/** Transactions, their retries after conflicts, and the classification of their failures. */
@NullMarked
package dev.okr.platform.transactions;

import org.jspecify.annotations.NullMarked;
