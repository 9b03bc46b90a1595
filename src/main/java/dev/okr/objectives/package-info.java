/**
 * Objectives with their key results and check-ins, and the alignments between objectives.
 *
 * <p>A check-in changes progress in these steps:
 *
 * <ol>
 *   <li>{@code CheckInResource.createCheckIn} runs in one transaction, which {@code @Idempotent} starts and retries.
 *   <li>{@code KeyResult.requireLocked} locks the row of the objective, and then reads the key result and the totals of
 *       all key results ({@code LockedObjective}). This lock keeps simultaneous check-ins from losing progress.
 *   <li>{@code CheckIn.create} adds the check-in, and {@code KeyResult.checkIn} sets the value and the progress of the
 *       key result ({@code Progress.between}).
 *   <li>{@code LockedObjective.rollUp} sets the progress of the objective to the mean of its key results
 *       ({@code Progress.mean}). It adds the difference to the totals of the cycle ({@code CycleTotals}), from which
 *       {@code Cycle.TOTALS} computes {@code overall_progress}.
 *   <li>Each step records its event in the {@code Outbox}. There is no event if nothing that the API shows has changed.
 *   <li>Before the commit, {@code PendingWrites} sends all changes and events in one round trip.
 * </ol>
 */
@NullMarked
package dev.okr.objectives;

import org.jspecify.annotations.NullMarked;
