/**
 * Delivery of events to webhooks: fan-out, queue, attempts, their results, and the API for subscribers.
 *
 * <p>The path of an event, in the order to read the classes:
 *
 * <ol>
 *   <li>{@code events.Outbox} writes the event in the transaction of its change. After the commit it wakes
 *       {@link dev.okr.webhooks.delivery.Dispatcher}, which also polls.
 *   <li>{@link dev.okr.webhooks.delivery.PollCycle} runs {@link dev.okr.webhooks.delivery.FanOut}, which creates a
 *       delivery for each subscribed webhook. Then {@link dev.okr.webhooks.delivery.ConcurrencyLimiter} decides
 *       how many deliveries to claim for each webhook. {@link dev.okr.webhooks.delivery.DeliveryQueue} claims them with
 *       a lease. The {@code Dispatcher} starts the attempts.
 *   <li>{@link dev.okr.webhooks.delivery.AttemptExecutor} signs and sends each claimed delivery, through
 *       {@code webhooks.WebhookSender}.
 *   <li>{@link dev.okr.webhooks.delivery.Recorder} collects the results. {@link dev.okr.webhooks.delivery.AttemptLog}
 *       judges each result and writes it. The {@link dev.okr.webhooks.delivery.Verdict} is success, a retry or failure.
 * </ol>
 */
@NullMarked
package dev.okr.webhooks.delivery;

import org.jspecify.annotations.NullMarked;
