/** Encryption of secrets in the database, with the operator's keys. */
@NullMarked
package dev.okr.platform.encryption;

import org.jspecify.annotations.NullMarked;
