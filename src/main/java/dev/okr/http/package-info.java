/** What every endpoint shares: bodies, envelopes, paging, problems, request ids. */
@NullMarked
package dev.okr.http;

import org.jspecify.annotations.NullMarked;
