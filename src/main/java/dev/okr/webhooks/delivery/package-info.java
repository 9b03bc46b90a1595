/**
 * Delivery of events to webhooks: fan-out, queue, attempts, their results, and the API for subscribers.
 *
 * <p>The path of an event, in the order to read the classes:
 *
 * <ol>
 *   <li>{@code events.Outbox} writes the event in the transaction of its change. After the commit it wakes
 *       {@link dev.okr.webhooks.delivery.Dispatcher}, which also polls.
 *   <li>{@link dev.okr.webhooks.delivery.PollCycle} runs {@link dev.okr.webhooks.delivery.FanOut}, which creates a
 *       delivery for each subscribed webhook. Then {@link dev.okr.webhooks.delivery.DeliveryQueue} claims deliveries
 *       with a lease. {@link dev.okr.webhooks.delivery.ConcurrencyLimiter} decides how many for each webhook. The
 *       {@code Dispatcher} then starts the attempts.
 *   <li>{@link dev.okr.webhooks.delivery.AttemptExecutor} signs and sends each claimed delivery, through
 *       {@code webhooks.WebhookSender}.
 *   <li>{@link dev.okr.webhooks.delivery.Recorder} and {@link dev.okr.webhooks.delivery.Verdict} judge the result, and
 *       {@link dev.okr.webhooks.delivery.AttemptLog} writes it: success, the time of the retry, or failure.
 * </ol>
 */
@NullMarked
package dev.okr.webhooks.delivery;

import org.jspecify.annotations.NullMarked;
