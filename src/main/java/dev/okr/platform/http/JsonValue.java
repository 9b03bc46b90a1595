package dev.okr.platform.http;

import java.util.List;
import java.util.Map;

/** A JSON value as it was written. Numbers stay text until their size is known to be harmless. */
public sealed interface JsonValue {
    record Text(String value) implements JsonValue {}

    /** @param lexeme the number's characters in the body */
    record Number(String lexeme) implements JsonValue {}

    record Bool(boolean value) implements JsonValue {}

    record Null() implements JsonValue {}

    record Array(List<JsonValue> items) implements JsonValue {}

    record Object(Map<String, JsonValue> members) implements JsonValue {}
}
