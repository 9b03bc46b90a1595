package dev.okr.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.okr.testing.Browser;
import dev.okr.testing.CrashableDatabase;
import dev.okr.testing.Program;
import dev.okr.testing.ServiceProcess;
import dev.okr.testing.TestDatabase;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sign-in without a provider, as somebody sees it who tries the packaged service. */
@Tag("waits")
class TrialIT {
    private static final int TIMEOUT_MILLIS = 30_000;

    @TempDir
    Path folder;

    @Test
    void people_of_the_demonstration_can_be_chosen_on_this_computer_only() throws IOException {
        assumeThat(Program.isNative()).isFalse();
        var environment = Map.of(
                "OKR_EMBEDDED_DATABASE",
                "true",
                "OKR_EMBEDDED_DATABASE_DIRECTORY",
                folder.resolve("data").toString(),
                "OKR_DEMO",
                "true");
        try (var service = ServiceProcess.start(environment)) {
            people_can_be_chosen(service.uri());
            other_requests_find_no_console(service.uri());
        }
    }

    private static void people_can_be_chosen(URI service) {
        var browser = Browser.of(service);
        var choice = browser.get("/settings").is(200).shows("Ada Lovelace", "Grace Hopper", "Dorothy Vaughan");
        assertThat(choice.address().getPath()).isEqualTo("/settings/trial");
        browser.postOnly("/settings/trial", "form_token", choice.formToken(), "email", "nobody@demo.example")
                .is(404);
        browser.postOnly("/settings/trial", "email", "grace@demo.example").is(403);
        browser.post("/settings/trial", "form_token", choice.formToken(), "email", "grace@demo.example")
                .is(200)
                .shows("<h1>My week</h1>", "Grace Hopper", "Trial on this computer, without a password.");
        browser.get("/settings/people").is(403);
        var token = browser.get("/settings/week").formToken();
        browser.post("/settings/sign-out", "form_token", token).is(200).shows("You are signed out");
        assertThat(browser.get("/settings/week").address().getPath()).isEqualTo("/settings/trial");
    }

    private static void other_requests_find_no_console(URI service) throws IOException {
        var port = service.getPort();
        assertThat(statusLine("127.0.0.1", port, "Host: localhost:" + port)).contains(" 200 ");
        assertThat(statusLine("127.0.0.1", port, "Host: okr.example.com")).contains(" 404 ");
        assertThat(statusLine("127.0.0.1", port, "Host: localhost:" + port + "\r\nX-Forwarded-For: 203.0.113.7"))
                .contains(" 404 ");
        assertThat(statusLine("127.0.0.1", port, "Host: localhost:" + port + "\r\nOrigin: https://okr.example.com"))
                .contains(" 404 ");
        var address = addressInNetwork();
        if (address.isPresent()) {
            assertThat(statusLine(address.get(), port, "Host: localhost:" + port))
                    .contains(" 404 ");
        }
    }

    @Test
    void with_another_database_the_console_needs_a_provider() throws IOException {
        try (var database = CrashableDatabase.start(folder.resolve("external"));
                var service = ServiceProcess.start(Map.of(
                        "QUARKUS_DATASOURCE_JDBC_URL",
                        database.jdbcUrl(),
                        "QUARKUS_DATASOURCE_USERNAME",
                        CrashableDatabase.USERNAME,
                        "QUARKUS_DATASOURCE_PASSWORD",
                        "",
                        "OKR_ENCRYPTION_KEY",
                        TestDatabase.ENCRYPTION_KEY,
                        "OKR_DEMO",
                        "true"))) {
            for (var path : new String[] {"/settings", "/settings/trial", "/settings/week"}) {
                Browser.of(service.uri()).getOnly(path).is(404).shows("The console is disabled.");
            }
        }
    }

    /** The first line of the response to a request for the page that lists the people. */
    private static String statusLine(String address, int port, String headers) throws IOException {
        try (var socket = new Socket(address, port)) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            var request = "GET /settings/trial HTTP/1.1\r\n" + headers + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            var response = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return response.substring(0, response.indexOf('\r'));
        }
    }

    /** An address of this machine that is not loopback. Empty without a network. */
    private static Optional<String> addressInNetwork() throws IOException {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
                .map(InetAddress::getHostAddress)
                .findFirst();
    }
}
