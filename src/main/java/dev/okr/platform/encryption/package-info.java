/** Secrets at rest: encrypted under keys that only the operator has. */
@NullMarked
package dev.okr.platform.encryption;

import org.jspecify.annotations.NullMarked;
