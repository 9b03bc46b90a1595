/** What every endpoint shares: bodies, envelopes, paging, problems, request ids. */
@NullMarked
package dev.okr.platform.http;

import org.jspecify.annotations.NullMarked;
