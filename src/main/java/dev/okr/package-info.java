/** The OKR service. */
@NullMarked
package dev.okr;

import org.jspecify.annotations.NullMarked;
