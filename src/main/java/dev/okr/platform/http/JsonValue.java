package dev.okr.platform.http;

import java.util.List;
import java.util.Map;

/** A parsed JSON value. Numbers stay text until their length is checked. */
public sealed interface JsonValue {
    record Text(String value) implements JsonValue {}

    /** @param lexeme the characters of the number */
    record Number(String lexeme) implements JsonValue {}

    record Bool(boolean value) implements JsonValue {}

    record Null() implements JsonValue {}

    record Array(List<JsonValue> items) implements JsonValue {}

    record Object(Map<String, JsonValue> members) implements JsonValue {}
}
