package dev.okr.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The organisation file of a service process: Acme Corp with one admin, who leads its only team. */
public final class OrganizationFile {
    private static final String NAME = "organizations.yaml";

    private OrganizationFile() {}

    public static Path in(Path folder) {
        return folder.resolve(NAME);
    }

    /**
     * Writes the file into a folder.
     *
     * @param token the admin's API key, with all scopes
     */
    public static Path write(Path folder, String token) {
        try {
            return Files.writeString(in(folder), """
                    organizations:
                      - slug: acme
                        name: Acme Corp
                        plan: business
                        users:
                          - email: ada@acme.test
                            name: Ada Lovelace
                            role: admin
                            api_keys:
                              - {name: ci, token: %s}
                        teams:
                          - name: Growth
                            members:
                              - {email: ada@acme.test, role: lead}
                    """.formatted(token));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
