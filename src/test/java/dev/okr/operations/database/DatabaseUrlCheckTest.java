package dev.okr.operations.database;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.Driver;

class DatabaseUrlCheckTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://db/okr",
                "jdbc:postgresql:okr",
                "jdbc:postgresql:///okr",
                "jdbc:postgresql://db:5432/",
                "jdbc:postgresql://one:5432,two/okr?targetServerType=primary",
                "jdbc:postgresql://[::1]:5432/okr",
                "jdbc:postgresql://db/okr?user=okr@server&password=s3/cret"
            })
    void urls_that_the_driver_accepts_are_valid(String url) {
        assertThat(Driver.parseURL(url, null)).isNotNull();
        assertThat(DatabaseUrlCheck.isValid(url)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgres://db/okr?password=s3cret",
                "postgresql://okr:s3cret@db/okr",
                "jdbc:postgresql://okr:s3cret@db/okr",
                "jdbc:postgresql://okr:s3?cret@db/okr",
                "jdbc:postgresql://okr:s3/cret@db/okr",
                "jdbc:postgresql://okr@db:5432/okr",
                "jdbc:postgresql://db:54x/okr?password=s3cret",
                "jdbc:postgresql://db?password=s3cret"
            })
    void other_urls_are_invalid(String url) {
        assertThat(DatabaseUrlCheck.isValid(url)).isFalse();
    }
}
