package dev.okr.platform.openapi;

import java.util.Objects;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.Components;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.responses.APIResponse;

/** References to the components of the document. */
public final class References {
    private References() {}

    public static Schema schema(String name) {
        return OASFactory.createSchema().ref(name);
    }

    /** The name of the component that a schema refers to. */
    static String name(Schema reference) {
        var ref = reference.getRef();
        return ref.substring(ref.lastIndexOf('/') + 1);
    }

    public static Schema resolve(Components components, Schema reference) {
        var name = name(reference);
        return Objects.requireNonNull(
                components.getSchemas().get(name), () -> "No record has @Schema(name = \"%s\")".formatted(name));
    }

    static void addHeader(APIResponse response, String name) {
        response.addHeader(name, OASFactory.createHeader().ref(name));
    }

    /** The headers with the API key's quota. */
    static void addRateLimit(APIResponse response) {
        addHeader(response, "RateLimit-Policy");
        addHeader(response, "RateLimit");
    }
}
