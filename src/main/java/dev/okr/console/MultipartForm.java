package dev.okr.console;

import dev.okr.platform.errors.Failure;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.multipart.Attribute;
import io.netty.handler.codec.http.multipart.DefaultHttpDataFactory;
import io.netty.handler.codec.http.multipart.FileUpload;
import io.netty.handler.codec.http.multipart.HttpPostMultipartRequestDecoder;
import java.io.ByteArrayInputStream;
import java.io.IOException;

/** Parses {@code multipart/form-data} with one file, in memory. Browsers without scripts send files like this. */
final class MultipartForm {
    private static final int FIRST_BYTE_OF_GZIP = 0x1f;

    private MultipartForm() {}

    /** @throws Failure if the body is malformed */
    static Form parse(String contentType, byte[] body) throws IOException {
        var request =
                new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/", Unpooled.wrappedBuffer(body));
        request.headers().set(HttpHeaderNames.CONTENT_TYPE, contentType);
        try {
            var decoder = new HttpPostMultipartRequestDecoder(new DefaultHttpDataFactory(false), request);
            try {
                return read(decoder);
            } finally {
                decoder.destroy();
            }
        } catch (RuntimeException malformed) {
            throw Failure.malformed("The form is malformed.");
        }
    }

    private static Form read(HttpPostMultipartRequestDecoder decoder) throws IOException {
        var form = Form.empty();
        for (var part : decoder.getBodyHttpDatas()) {
            if (part instanceof FileUpload file && file.length() > 0) {
                var bytes = file.get();
                boolean isCompressed = bytes[0] == FIRST_BYTE_OF_GZIP;
                form.with(new UploadedFile(new ByteArrayInputStream(bytes), isCompressed));
            } else if (part instanceof Attribute field) {
                form.with(field.getName(), field.getValue());
            }
        }
        return form;
    }
}
