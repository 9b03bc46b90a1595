/** What operators do from the command line, by the same program that serves: keys, organisations, erasure, rotation. */
@NullMarked
package dev.okr.operations.commands;

import org.jspecify.annotations.NullMarked;
