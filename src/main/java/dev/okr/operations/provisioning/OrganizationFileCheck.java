package dev.okr.operations.provisioning;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Tells before a start what the start would refuse of an organisation file, as far as no database is needed. */
public final class OrganizationFileCheck {
    private OrganizationFileCheck() {}

    /** What is wrong, a line for each reason; empty for nothing. */
    public static Optional<String> problems(Path file) throws IOException {
        try {
            OrganizationFileParser.parse(file);
            return Optional.empty();
        } catch (InvalidOrganizationFile e) {
            return Optional.of(e.reasons());
        }
    }
}
