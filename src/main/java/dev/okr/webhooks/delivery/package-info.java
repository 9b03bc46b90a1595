/** The way of events to webhooks: fan-out, the queue, attempts, their record, and what subscribers see of it. */
@NullMarked
package dev.okr.webhooks.delivery;

import org.jspecify.annotations.NullMarked;
