/** Delivery of events to webhooks: fan-out, queue, attempts, their results, and the API for subscribers. */
@NullMarked
package dev.okr.webhooks.delivery;

import org.jspecify.annotations.NullMarked;
