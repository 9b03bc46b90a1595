/** The pages for export and import. */
@NullMarked
package dev.okr.console.data;

import org.jspecify.annotations.NullMarked;
