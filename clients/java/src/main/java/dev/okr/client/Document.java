package dev.okr.client;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;

/** The body of a response with one resource. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Document<T>(T data) {}
