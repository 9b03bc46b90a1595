/** Webhook subscriptions: target URLs, their rules, signing secrets, and the HTTP client. */
@NullMarked
package dev.okr.webhooks;

import org.jspecify.annotations.NullMarked;
