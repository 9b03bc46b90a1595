/** Events about changes of an organisation's resources, and the outbox that stores them. */
@NullMarked
package dev.okr.events;

import org.jspecify.annotations.NullMarked;
