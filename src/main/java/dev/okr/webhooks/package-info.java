/** Webhook subscriptions: where events go, and the secrets that sign them. */
@NullMarked
package dev.okr.webhooks;

import org.jspecify.annotations.NullMarked;
