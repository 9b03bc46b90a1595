/** Events: what happened to an organisation's resources, for those who subscribed to it. */
@NullMarked
package dev.okr.outbox;

import org.jspecify.annotations.NullMarked;
