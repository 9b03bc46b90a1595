package dev.okr.webhooks;

import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.proxy.ProxyConnectException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.StreamResetException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Maps exceptions to stable error codes. Subscribers never see the texts of the exceptions. */
final class ConnectionFailure {
    static final String TIMEOUT = "timeout";
    static final String UNRESOLVABLE = "unresolvable_host";
    static final String REFUSED = "connection_refused";
    static final String FAILED = "connection_failed";
    static final String CLOSED = "connection_closed";
    static final String TLS = "tls_failed";
    static final String INVALID_RESPONSE = "invalid_response";

    private static final int MAX_CAUSES = 16;

    private ConnectionFailure() {}

    /** @param connected whether a connection for the request existed */
    static String code(Throwable failure, boolean connected) {
        // The first known exception in the chain decides. If none is known, the root cause decides, because any
        // exception may be wrapped in an IOException.
        boolean isIoFailure = false;
        Throwable each = failure;
        for (int depth = 0; each != null && depth < MAX_CAUSES; depth++) {
            var code = known(each);
            if (code != null) {
                return code;
            }
            isIoFailure = each instanceof IOException;
            each = each.getCause();
        }
        if (!connected) {
            return FAILED;
        }
        return isIoFailure ? CLOSED : INVALID_RESPONSE;
    }

    private static @Nullable String known(Throwable failure) {
        return switch (failure) {
            case ConnectTimeoutException e -> TIMEOUT;
            case SslHandshakeTimeoutException e -> TIMEOUT;
            case SocketTimeoutException e -> TIMEOUT;
            case TimeoutException e -> TIMEOUT;
            case UnknownHostException e -> UNRESOLVABLE;
            case SSLException e -> TLS;
            case CertificateException e -> TLS;
            case ProxyConnectException e -> FAILED;
            // Only the message distinguishes a closed port from a missing route.
            case ConnectException e -> String.valueOf(e.getMessage()).contains("refused") ? REFUSED : FAILED;
            case HttpClosedException e -> CLOSED;
            case StreamResetException e -> CLOSED;
            case ClosedChannelException e -> CLOSED;
            default -> null;
        };
    }
}
