package dev.okr.console;

import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.JsonBody;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.ext.MessageBodyReader;
import jakarta.ws.rs.ext.Provider;
import java.io.IOException;
import java.io.InputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Reads request bodies as {@link Form} and rejects cross-site requests. */
@Provider
@Consumes(MediaType.WILDCARD)
public class FormReader implements MessageBodyReader<Form> {
    /** The maximum size of the fields without the file. A page can show them again several times. */
    static final int MAX_BYTES = 1 << 17;

    /** The maximum size of a body that {@code access.limits} collects. */
    private static final int MAX_FILE_BYTES = JsonBody.MAX_BYTES;

    private static final MediaType LINES = new MediaType("application", "x-ndjson");

    /** Other sites cannot send this header. */
    private static final String TOKEN_HEADER = "X-Okr-Form-Token";

    private final ConsoleSession session;
    private final FormTokens tokens;
    private final Caller caller;

    FormReader(ConsoleSession session, FormTokens tokens, Caller caller) {
        this.session = session;
        this.tokens = tokens;
        this.caller = caller;
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
        var form = parse(mediaType, headers, body);
        if (!tokens.isValid(form.value(Form.TOKEN), session.subject())) {
            throw Failure.forbidden("The form has expired or came from another site. Nothing was changed."
                    + " Go back, reload the page and try again.");
        }
        return form.withCreatedIds((id, parent) -> tokens.createdId(caller.organizationId(), id, parent));
    }

    private static Form parse(MediaType type, MultivaluedMap<String, String> headers, InputStream body)
            throws IOException {
        if (MediaType.APPLICATION_FORM_URLENCODED_TYPE.isCompatible(type)) {
            return parse(read(body, MAX_BYTES));
        }
        if (MediaType.MULTIPART_FORM_DATA_TYPE.isCompatible(type)) {
            return MultipartForm.parse(headers.getFirst(HttpHeaders.CONTENT_TYPE), read(body, MAX_FILE_BYTES));
        }
        if (LINES.isCompatible(type)) {
            // The script of the console sends a file of any size. The caller reads it in parts.
            var file = new UploadedFile(body, "gzip".equals(headers.getFirst(HttpHeaders.CONTENT_ENCODING)));
            return Form.empty()
                    .with(Form.TOKEN, Objects.requireNonNullElse(headers.getFirst(TOKEN_HEADER), ""))
                    .with(file);
        }
        throw Failure.of(
                ErrorCode.UNSUPPORTED_MEDIA_TYPE, "The form must be sent as application/x-www-form-urlencoded.");
    }

    private static byte[] read(InputStream body, int maxBytes) throws IOException {
        var bytes = body.readNBytes(maxBytes + 1);
        if (bytes.length > maxBytes) {
            throw Failure.of(ErrorCode.BODY_TOO_LARGE, "The form is too large.");
        }
        return bytes;
    }

    private static Form parse(byte[] bytes) {
        try {
            return Form.parse(new String(bytes, StandardCharsets.UTF_8));
        } catch (IllegalArgumentException badEscape) {
            throw Failure.malformed("The form is malformed.");
        }
    }
}
