package dev.okr.access.limits;

import dev.okr.testing.ServiceProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

/** A client that can send many requests from several threads, and from any loopback address. */
final class Client implements AutoCloseable {
    private final HttpClient http;
    private final Map<String, String> headers;

    private Client(HttpClient http, Map<String, String> headers) {
        this.http = http;
        this.headers = headers;
    }

    static Client from(String address) {
        try {
            return new Client(
                    HttpClient.newBuilder()
                            .localAddress(InetAddress.getByName(address))
                            .version(HttpClient.Version.HTTP_1_1)
                            .build(),
                    Map.of());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Client local() {
        return from("127.0.0.1");
    }

    /** The same client with an additional header. */
    Client header(String name, String value) {
        var more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Client(http, more);
    }

    Client key(String token) {
        return header("Authorization", "Bearer " + token);
    }

    HttpResponse<byte[]> send(URI service, String method, String path) {
        var request = HttpRequest.newBuilder(service.resolve(path)).method(method, HttpRequest.BodyPublishers.noBody());
        headers.forEach(request::setHeader);
        try {
            return http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    int status(URI service) {
        return send(service, "GET", "/v1/users/me").statusCode();
    }

    /** Sends requests to all replicas from several threads, and returns how many were allowed. */
    long hammer(List<ServiceProcess> replicas, Duration duration, int threadsForEach) throws Exception {
        var end = Instant.now().plus(duration);
        try (var threads = Executors.newCachedThreadPool()) {
            var counts = replicas.stream()
                    .flatMap(replica -> Stream.generate(() -> (Callable<Long>) () -> {
                                long admitted = 0;
                                while (Instant.now().isBefore(end)) {
                                    if (status(replica.uri()) == 200) {
                                        admitted++;
                                    }
                                    Thread.sleep(1);
                                }
                                return admitted;
                            })
                            .limit(threadsForEach))
                    .map(threads::submit)
                    .toList();
            long admitted = 0;
            for (var count : counts) {
                admitted += count.get();
            }
            return admitted;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    @Override
    public void close() {
        http.close();
    }
}
