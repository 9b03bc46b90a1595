/** What operators do from the command line, by the same program that serves: keys, organisations, erasure, rotation. */
@NullMarked
package dev.okr.commands;

import org.jspecify.annotations.NullMarked;
