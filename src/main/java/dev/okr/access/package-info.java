/** API keys, the filter that validates them, and what their bearer may do. */
@NullMarked
package dev.okr.access;

import org.jspecify.annotations.NullMarked;
