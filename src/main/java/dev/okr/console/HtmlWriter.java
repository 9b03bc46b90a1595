package dev.okr.console;

import dev.okr.platform.http.JsonWriter;
import io.vertx.core.buffer.Buffer;
import jakarta.ws.rs.ConstrainedTo;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.RuntimeType;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.ext.Provider;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import org.jboss.resteasy.reactive.server.spi.ResteasyReactiveResourceInfo;
import org.jboss.resteasy.reactive.server.spi.ServerMessageBodyWriter;
import org.jboss.resteasy.reactive.server.spi.ServerRequestContext;

/**
 * Sends pages in parts, and limits those that wait for their clients, as {@link JsonWriter} does for JSON. The framework
 * would copy a whole page into direct memory, and keep it there while the client does not read.
 */
@Provider
@ConstrainedTo(RuntimeType.SERVER)
@Produces(MediaType.TEXT_HTML)
public class HtmlWriter implements ServerMessageBodyWriter<HtmlWriter.Html> {

    /** A rendered page, or a part of one. */
    public record Html(String text) {}

    @Override
    public boolean isWriteable(
            Class<?> type, Type genericType, ResteasyReactiveResourceInfo target, MediaType mediaType) {
        return type == Html.class;
    }

    @Override
    public boolean isWriteable(Class<?> type, Type genericType, Annotation[] annotations, MediaType mediaType) {
        return type == Html.class;
    }

    @Override
    public void writeResponse(Html html, Type genericType, ServerRequestContext context) throws IOException {
        JsonWriter.send(Buffer.buffer(html.text), context);
    }

    @Override
    public void writeTo(
            Html html,
            Class<?> type,
            Type genericType,
            Annotation[] annotations,
            MediaType mediaType,
            MultivaluedMap<String, Object> headers,
            OutputStream out)
            throws IOException {
        out.write(html.text.getBytes(StandardCharsets.UTF_8));
    }
}
