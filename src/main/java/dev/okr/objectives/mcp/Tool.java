package dev.okr.objectives.mcp;

import dev.okr.platform.http.Right;
import io.quarkiverse.mcp.server.ToolManager.ToolAnnotations;
import org.jboss.resteasy.reactive.RestResponse;

/**
 * A tool for assistants.
 *
 * @param description when to use the tool, for a model that does not know what OKRs are
 * @param right what a key needs to see and to call the tool
 * @param call calls the method of a resource
 */
record Tool(
        String name,
        String title,
        String description,
        Right right,
        ToolAnnotations hints,
        InputSchema input,
        Call call) {

    /** A tool that only reads. */
    static Tool reading(String name, String title, String description, InputSchema input, Call call) {
        return new Tool(name, title, description, Right.READ, hints(true, false, true), input, call);
    }

    /** A tool that only adds. A second call adds again. */
    static Tool adding(String name, String title, String description, InputSchema input, Call call) {
        return writing(name, title, description, hints(false, false, false), input, call);
    }

    /** A tool that replaces values. A second call changes nothing more. */
    static Tool changing(String name, String title, String description, InputSchema input, Call call) {
        return writing(name, title, description, hints(false, true, true), input, call);
    }

    private static Tool writing(
            String name, String title, String description, ToolAnnotations hints, InputSchema input, Call call) {
        return new Tool(name, title, description, Right.WRITE, hints, input.withIdempotencyKey(), call);
    }

    boolean isWriting() {
        return !hints.readOnlyHint();
    }

    private static ToolAnnotations hints(boolean isReadOnly, boolean isDestructive, boolean isIdempotent) {
        return new ToolAnnotations(null, isReadOnly, isDestructive, isIdempotent, false);
    }

    /** What a tool does. The result has the body of the API's response. */
    @FunctionalInterface
    interface Call {
        RestResponse<?> with(Arguments arguments);
    }
}
