/** The benchmark's additions to the measured service. An ordinary build does not contain them. */
@NullMarked
package dev.okr.bench.service;

import org.jspecify.annotations.NullMarked;
