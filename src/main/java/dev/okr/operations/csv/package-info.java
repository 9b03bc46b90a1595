/** Turns spreadsheets and exports of other products into lines for an import. */
@NullMarked
package dev.okr.operations.csv;

import org.jspecify.annotations.NullMarked;
