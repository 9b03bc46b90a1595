package dev.okr.platform.openapi;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The repository contains a copy of the OpenAPI document, so that reviews show every change. */
@QuarkusTest
class GoldenDocumentTest {
    private static final Path GOLDEN = Path.of("docs", "openapi.yaml");
    private static final Path SERVED = Path.of("target", "openapi.yaml");
    private static final String UPDATE = "okr.update-golden";

    @Test
    void the_served_document_is_the_one_in_the_repository() throws IOException {
        var served = withoutVersion(
                given().get("/q/openapi").then().statusCode(200).extract().asString());
        Files.writeString(SERVED, served);
        if (Boolean.getBoolean(UPDATE)) {
            Files.createDirectories(GOLDEN.getParent());
            Files.writeString(GOLDEN, served);
        }
        var golden = Files.exists(GOLDEN) ? Files.readString(GOLDEN) : "";
        assertThat(firstDifference(golden, served))
                .as("""
                    %2$s is served, %1$s was expected. If the API is meant to change, update the copy and review it:
                    ./mvnw test -Dtest=GoldenDocumentTest -D%3$s=true
                    First difference""", GOLDEN, SERVED, UPDATE)
                .isEmpty();
    }

    /** Ignores the application's version. */
    private static String withoutVersion(String document) {
        return document.replaceFirst("(?m)^  version: .*$", "  version: any").replaceFirst("^---\n", "");
    }

    /** The first line that differs. The whole document is too long for a message. */
    private static Optional<String> firstDifference(String golden, String served) {
        var expected = golden.lines().toList();
        var actual = served.lines().toList();
        return IntStream.range(0, Math.max(expected.size(), actual.size()))
                .filter(i -> !line(expected, i).equals(line(actual, i)))
                .mapToObj(i -> "line %d: - %s + %s".formatted(i + 1, line(expected, i), line(actual, i)))
                .findFirst();
    }

    private static String line(List<String> lines, int index) {
        return index < lines.size() ? lines.get(index) : "(the end)";
    }
}
