/** The audit log: who changed keys, people, teams, webhooks and organisations, and when. */
@NullMarked
package dev.okr.organizations.audit;

import org.jspecify.annotations.NullMarked;
