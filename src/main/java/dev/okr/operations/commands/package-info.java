/** The commands of the program: organisations, users, keys, erasure, and re-encryption. */
@NullMarked
package dev.okr.operations.commands;

import org.jspecify.annotations.NullMarked;
