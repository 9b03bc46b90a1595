/**
 * Delivery of events to webhooks: fan-out, queue, attempts, their results, and the API for subscribers.
 *
 * <p>The path of an event, in the order to read the classes:
 *
 * <ol>
 *   <li>{@code events.Outbox} writes the event in the transaction of its change. After the commit it wakes
 *       {@link dev.okr.webhooks.delivery.Poller}, which also polls on a schedule.
 *       {@link dev.okr.webhooks.delivery.Visits} finds organisations with work. A visit is one transaction:
 *       <ol>
 *         <li>{@link dev.okr.webhooks.delivery.FanOut} creates a delivery for each subscribed webhook, and wakes its
 *             {@link dev.okr.webhooks.delivery.Lane}.
 *         <li>{@link dev.okr.webhooks.delivery.Claims} claims deliveries of due lanes with a lease.
 *             {@link dev.okr.webhooks.delivery.Slots} decides how many for each webhook.
 *       </ol>
 *   <li>{@link dev.okr.webhooks.delivery.Attempts} signs each {@link dev.okr.webhooks.delivery.Attempt}, sends it
 *       through {@code webhooks.WebhookSender}, and judges the outcome ({@link dev.okr.webhooks.delivery.Verdict}).
 *       {@link dev.okr.webhooks.delivery.LargePayloads} reads the payloads that are too large for a claim.
 *   <li>{@link dev.okr.webhooks.delivery.Recorder} writes batches of attempts with
 *       {@link dev.okr.webhooks.delivery.AttemptLog}. The delivery has then succeeded, waits for its retry, or has
 *       failed. {@link dev.okr.webhooks.delivery.EndpointHealth} deactivates webhooks that fail for too long.
 *       {@link dev.okr.webhooks.delivery.StoredResponses} removes responses when a user is erased.
 * </ol>
 *
 * <p>The guarantees:
 *
 * <ul>
 *   <li>An event is queued once for each webhook. The lock on its row of {@code outbox} ensures this.
 *   <li>One replica at a time attempts a delivery. The lock on its row ensures this until the claim is committed.
 *       Afterwards {@code claim} and {@code due_at}, the end of the lease, ensure it.
 *   <li>A due delivery has a due lane. The lock on the row of the lane ensures this, see
 *       {@link dev.okr.webhooks.delivery.Lane}.
 *   <li>A crash loses no delivery. The lease of each claimed delivery ends, and its lane is due then.
 * </ul>
 */
@NullMarked
package dev.okr.webhooks.delivery;

import org.jspecify.annotations.NullMarked;
