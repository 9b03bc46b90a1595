/** The pages for API keys. */
@NullMarked
package dev.okr.console.keys;

import org.jspecify.annotations.NullMarked;
