package dev.okr.client;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;

/** Reads JSON that does not come from a call. */
final class Json {
    static final ObjectMapper MAPPER = new ObjectMapper().registerModule(new JavaTimeModule());

    private Json() {}
}
