package dev.okr.console;

import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.ext.MessageBodyReader;
import jakarta.ws.rs.ext.Provider;
import java.io.IOException;
import java.io.InputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;

/** Reads request bodies as {@link Form} and rejects cross-site requests. */
@Provider
@Consumes(MediaType.WILDCARD)
public class FormReader implements MessageBodyReader<Form> {
    private static final int MAX_BYTES = 1 << 17;

    private final ConsoleSession session;
    private final FormTokens tokens;

    FormReader(ConsoleSession session, FormTokens tokens) {
        this.session = session;
        this.tokens = tokens;
    }

    @Override
    public boolean isReadable(Class<?> type, Type genericType, Annotation[] annotations, MediaType mediaType) {
        return type == Form.class;
    }

    @Override
    public Form readFrom(
            Class<Form> type,
            Type genericType,
            Annotation[] annotations,
            MediaType mediaType,
            MultivaluedMap<String, String> headers,
            InputStream body)
            throws IOException {
        if (!MediaType.APPLICATION_FORM_URLENCODED_TYPE.isCompatible(mediaType)) {
            throw Failure.of(
                    ErrorCode.UNSUPPORTED_MEDIA_TYPE, "The form must be sent as application/x-www-form-urlencoded.");
        }
        var form = parse(body);
        if (!tokens.isValid(form.value(Form.TOKEN), session.subject())) {
            throw Failure.forbidden("The form has expired or came from another site. Nothing was changed."
                    + " Go back, reload the page and try again.");
        }
        return form;
    }

    private static Form parse(InputStream body) throws IOException {
        var bytes = body.readNBytes(MAX_BYTES + 1);
        if (bytes.length > MAX_BYTES) {
            throw Failure.of(ErrorCode.BODY_TOO_LARGE, "The form is too large.");
        }
        try {
            return Form.parse(new String(bytes, StandardCharsets.UTF_8));
        } catch (IllegalArgumentException badEscape) {
            throw Failure.malformed("The form is malformed.");
        }
    }
}
