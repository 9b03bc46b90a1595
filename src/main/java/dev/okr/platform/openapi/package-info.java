/**
 * Completes the OpenAPI document at build time. Resource methods have the summaries, records have the fields, and
 * {@code META-INF/openapi.yaml} has handwritten texts. This package adds what operations share.
 */
@NullMarked
package dev.okr.platform.openapi;

import org.jspecify.annotations.NullMarked;
