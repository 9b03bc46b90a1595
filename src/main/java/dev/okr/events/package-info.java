/** Events: what happened to an organisation's resources, for those who subscribed to it. */
@NullMarked
package dev.okr.events;

import org.jspecify.annotations.NullMarked;
