/** The audit log: who changed keys, people, teams and webhooks, and when. */
@NullMarked
package dev.okr.events.audit;

import org.jspecify.annotations.NullMarked;
