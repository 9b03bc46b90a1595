/** The way of events to webhooks: fan-out, the queue, attempts, their record, and what subscribers see of it. */
@NullMarked
package dev.okr.deliveries;

import org.jspecify.annotations.NullMarked;
