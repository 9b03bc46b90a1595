/** The pages for webhooks and their deliveries. */
@NullMarked
package dev.okr.console.webhooks;

import org.jspecify.annotations.NullMarked;
