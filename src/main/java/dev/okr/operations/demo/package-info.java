/** The demonstration organisation. */
@NullMarked
package dev.okr.operations.demo;

import org.jspecify.annotations.NullMarked;
