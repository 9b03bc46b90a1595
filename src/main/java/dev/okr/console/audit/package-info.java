/** The page for the audit log. */
@NullMarked
package dev.okr.console.audit;

import org.jspecify.annotations.NullMarked;
