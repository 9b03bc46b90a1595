package dev.okr.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Invalid or slow requests, sent byte for byte. */
public final class RawHttp {
    private static final int CONNECT_MILLIS = 5_000;
    private static final int QUIET_MILLIS = 2_000;
    private static final int MAX_ANSWER_BYTES = 1 << 20;

    private RawHttp() {}

    /**
     * Sends text, one byte per character. Returns everything that the service sends until it closes the connection or
     * stays silent.
     */
    public static String send(URI service, String request) {
        return send(service, request, () -> {}, "");
    }

    /** Sends the first part of a request, runs the action, and sends the rest. */
    public static String send(URI service, String request, Runnable meanwhile, String rest) {
        try (var socket = new Socket()) {
            socket.connect(new InetSocketAddress(service.getHost(), service.getPort()), CONNECT_MILLIS);
            socket.setSoTimeout(QUIET_MILLIS);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            meanwhile.run();
            socket.getOutputStream().write(rest.getBytes(StandardCharsets.ISO_8859_1));
            return read(socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends text and resets the connection after a while. */
    public static void abandon(URI service, String request, Duration after) throws IOException, InterruptedException {
        try (var socket = new Socket()) {
            socket.connect(new InetSocketAddress(service.getHost(), service.getPort()), CONNECT_MILLIS);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            Thread.sleep(after);
            // Closing with linger 0 resets the connection.
            socket.setSoLinger(true, 0);
        }
    }

    private static String read(Socket socket) throws IOException {
        var answer = new StringBuilder();
        var buffer = new byte[8192];
        try {
            for (int n = socket.getInputStream().read(buffer);
                    n >= 0 && answer.length() < MAX_ANSWER_BYTES;
                    n = socket.getInputStream().read(buffer)) {
                answer.append(new String(buffer, 0, n, StandardCharsets.ISO_8859_1));
                if (isWhole(answer)) {
                    break;
                }
            }
        } catch (SocketTimeoutException silent) {
            // The response is complete.
        }
        return answer.toString();
    }

    private static boolean isWhole(StringBuilder answer) {
        int end = answer.indexOf("\r\n\r\n");
        var length = java.util.regex.Pattern.compile("(?i)\r\ncontent-length: *(\\d+)")
                .matcher(answer);
        return end >= 0 && length.find() && answer.length() >= end + 4 + Integer.parseInt(length.group(1));
    }
}
