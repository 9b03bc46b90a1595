package dev.okr.operations.provisioning;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Checks an organisation file without a database. */
public final class OrganizationFileCheck {
    private OrganizationFileCheck() {}

    /** Returns one line per error, or empty if there are none. */
    public static Optional<String> problems(Path file) throws IOException {
        try {
            OrganizationFileParser.parse(file);
            return Optional.empty();
        } catch (InvalidOrganizationFile e) {
            return Optional.of(e.reasons());
        }
    }
}
