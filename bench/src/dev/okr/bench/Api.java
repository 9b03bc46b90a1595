package dev.okr.bench;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * One persistent connection to the service over a plain socket. It uses little processor time and is not thread-safe.
 */
final class Api implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 30_000;
    private static final Pattern ID = Pattern.compile("\\{\"data\":\\{\"id\":\"([a-z]+_[0-9a-z]+)\"");
    private static final Pattern SECRET = Pattern.compile("\"secret\":\"(whsec_[^\"]+)\"");

    private final Socket socket;
    private final InputStream in;
    private final String token;
    private boolean ended;

    Api(int port, String token) throws IOException {
        this.socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), port);
        this.socket.setTcpNoDelay(true);
        this.socket.setSoTimeout(TIMEOUT_MILLIS);
        this.in = new BufferedInputStream(socket.getInputStream());
        this.token = token;
    }

    record Answer(int status, String body) {
        String id() {
            return first(ID);
        }

        String secret() {
            return first(SECRET);
        }

        private String first(Pattern pattern) {
            var matcher = pattern.matcher(body);
            if (!matcher.find()) {
                throw new IllegalStateException(this.toString());
            }
            return matcher.group(1);
        }
    }

    /** Whether the other side has announced that it closes the connection. */
    boolean isEnded() {
        return ended;
    }

    Answer get(String path) throws IOException {
        return call("GET", path, "");
    }

    /** Sends a change that must succeed. */
    Answer change(String method, String path, String json) throws IOException {
        var answer = call(method, path, json);
        if (answer.status() / 100 != 2) {
            throw new IllegalStateException(method + ' ' + path + ": " + answer);
        }
        return answer;
    }

    Answer call(String method, String path, String json) throws IOException {
        var request = "%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n".formatted(method, path, token)
                + (json.isEmpty() ? "" : "Content-Type: application/json\r\n")
                + "Content-Length: " + json.length() + "\r\n\r\n" + json;
        socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
        int status = Integer.parseInt(line().split(" ")[1]);
        int length = 0;
        boolean chunked = false;
        for (var line = line(); !line.isEmpty(); line = line()) {
            var header = line.toLowerCase();
            if (header.startsWith("content-length:")) {
                length = Integer.parseInt(header.substring(15).strip());
            } else if (header.startsWith("transfer-encoding:")) {
                chunked = header.endsWith("chunked");
            } else if (header.startsWith("connection:")) {
                ended = header.endsWith("close");
            }
        }
        return new Answer(status, chunked ? chunks() : text(length));
    }

    private String chunks() throws IOException {
        var body = new StringBuilder();
        for (int length = chunk(); length > 0; length = chunk()) {
            body.append(text(length));
            line();
        }
        line();
        return body.toString();
    }

    private int chunk() throws IOException {
        return Integer.parseInt(line(), 16);
    }

    private String text(int length) throws IOException {
        var bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException();
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private String line() throws IOException {
        var line = new StringBuilder();
        for (int character = in.read(); character != '\n'; character = in.read()) {
            if (character < 0) {
                throw new EOFException();
            }
            if (character != '\r') {
                line.append((char) character);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
