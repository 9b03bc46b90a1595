/** HTTP for all endpoints: bodies, envelopes, paging, problems and request ids. */
@NullMarked
package dev.okr.platform.http;

import org.jspecify.annotations.NullMarked;
