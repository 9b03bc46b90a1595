/** The organisation file, with which operators create organisations at a start. */
@NullMarked
package dev.okr.operations.provisioning;

import org.jspecify.annotations.NullMarked;
