/**
 * Delivery of events to webhooks: fan-out, queue, attempts, their results, and the API for subscribers.
 *
 * <p>The path of an event, in the order to read the classes:
 *
 * <ol>
 *   <li>{@code events.Outbox} writes the event in the transaction of its change. After the commit it wakes
 *       {@link dev.okr.webhooks.delivery.Poller}, which also polls. {@link dev.okr.webhooks.delivery.Visits} finds
 *       organisations with work. A visit is one transaction:
 *       <ol>
 *         <li>{@link dev.okr.webhooks.delivery.FanOut} creates a delivery for each subscribed webhook, and wakes its
 *             {@link dev.okr.webhooks.delivery.Lane}.
 *         <li>{@link dev.okr.webhooks.delivery.Claims} claims deliveries of due lanes with a lease.
 *             {@link dev.okr.webhooks.delivery.Slots} decides how many for each webhook.
 *       </ol>
 *   <li>{@link dev.okr.webhooks.delivery.Attempts} signs each {@link dev.okr.webhooks.delivery.Attempt}, sends it
 *       through {@code webhooks.WebhookSender}, and judges the outcome ({@link dev.okr.webhooks.delivery.Verdict}).
 *   <li>{@link dev.okr.webhooks.delivery.Recorder} writes batches of attempts with
 *       {@link dev.okr.webhooks.delivery.AttemptLog}: success, the time of the retry, or failure.
 *       {@link dev.okr.webhooks.delivery.EndpointHealth} deactivates webhooks that fail for too long.
 * </ol>
 *
 * <p>What keeps it safe:
 *
 * <ul>
 *   <li>An event is queued once for each webhook: the lock on its row of {@code outbox}.
 *   <li>A delivery is attempted by one replica at a time: the lock on its row while it is claimed, then
 *       {@code claim} and {@code due_at}, the end of the lease.
 *   <li>A due delivery has a due lane: the lock on the row of the lane, see {@link dev.okr.webhooks.delivery.Lane}.
 *   <li>After a crash at any point: the lease of each claimed delivery ends, and its lane is due then.
 * </ul>
 */
@NullMarked
package dev.okr.webhooks.delivery;

import org.jspecify.annotations.NullMarked;
