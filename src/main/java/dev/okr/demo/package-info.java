/** The demonstration organisation. */
@NullMarked
package dev.okr.demo;

import org.jspecify.annotations.NullMarked;
