package dev.okr.console;

import dev.okr.platform.errors.ErrorCode;
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

    /** A boundary has at most 70 characters (RFC 2046). With a long one, the decoder would search for many seconds. */
    private static final int MAX_CHARACTERS_OF_TYPE = 200;

    private MultipartForm() {}

    /** @throws Failure if the body is malformed */
    static Form parse(String contentType, byte[] body) throws IOException {
        if (contentType.length() > MAX_CHARACTERS_OF_TYPE) {
            throw Failure.malformed("The boundary of the form is too long.");
        }
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
        } catch (Failure tooLarge) {
            throw tooLarge;
        } catch (RuntimeException malformed) {
            throw Failure.malformed("The form is malformed.");
        }
    }

    private static Form read(HttpPostMultipartRequestDecoder decoder) throws IOException {
        var form = Form.empty();
        int characters = 0;
        for (var part : decoder.getBodyHttpDatas()) {
            if (part instanceof FileUpload file && file.length() > 0) {
                var bytes = file.get();
                boolean isCompressed = bytes[0] == FIRST_BYTE_OF_GZIP;
                form.with(new UploadedFile(new ByteArrayInputStream(bytes), isCompressed));
            } else if (part instanceof Attribute field) {
                characters += field.getName().length() + field.getValue().length();
                if (characters > FormReader.MAX_BYTES) {
                    throw Failure.of(ErrorCode.BODY_TOO_LARGE, "The form is too large.");
                }
                form.with(field.getName(), field.getValue());
            }
        }
        return form;
    }
}
