/**
 * Completes the OpenAPI document while the application is built. Resource methods bring a summary and records their
 * fields; {@code META-INF/openapi.yaml} brings what is written by hand; what all operations share is added here.
 */
@NullMarked
package dev.okr.platform.openapi;

import org.jspecify.annotations.NullMarked;
