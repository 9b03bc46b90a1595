package dev.okr.operations.database;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseUrlCheckTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "jdbc:postgresql://db/okr",
                "jdbc:postgresql:okr",
                "jdbc:postgresql:///okr",
                "jdbc:postgresql://one:5432,two:5433/okr?targetServerType=primary",
                "jdbc:postgresql://[::1]:5432/okr",
                "jdbc:postgresql://db/okr?user=okr@server&password=s3cret",
                "jdbc:postgresql://db/my@db"
            })
    void urls_that_the_driver_accepts_are_valid(String url) {
        assertThat(DatabaseUrlCheck.problem(url)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:postgres://db/okr?password=s3cret, must start with",
        "postgresql://okr:s3cret@db/okr, must start with",
        "jdbc:postgresql://okr:s3cret@db/okr, before the host",
        "jdbc:postgresql://okr:s3?cret@db/okr, before the host",
        "jdbc:postgresql://db:54x/okr?password=s3cret, not a valid URL"
    })
    void other_urls_are_rejected_without_showing_them(String url, String problem) {
        assertThat(DatabaseUrlCheck.problem(url)).contains(problem).doesNotContain("s3cret", "okr:s3");
    }
}
