/** What the benchmark adds to the service that it measures. Never part of an ordinary build. */
@NullMarked
package dev.okr.bench.service;

import org.jspecify.annotations.NullMarked;
