/** Secrets at rest: encrypted under keys that only the operator has. */
@NullMarked
package dev.okr.encryption;

import org.jspecify.annotations.NullMarked;
