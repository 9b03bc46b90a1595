/** Objectives, their key results and check-ins under one lock, and the alignments between objectives. */
@NullMarked
package dev.okr.objectives;

import org.jspecify.annotations.NullMarked;
