/** The organisation file that operators provision organisations with. */
@NullMarked
package dev.okr.operations.provisioning;

import org.jspecify.annotations.NullMarked;
