package dev.okr.operations.provisioning;

import dev.okr.access.Scope;
import dev.okr.access.Token;
import dev.okr.operations.provisioning.OrganizationFile.ApiKey;
import dev.okr.operations.provisioning.OrganizationFile.Member;
import dev.okr.operations.provisioning.OrganizationFile.Organization;
import dev.okr.operations.provisioning.OrganizationFile.Team;
import dev.okr.operations.provisioning.OrganizationFile.User;
import dev.okr.organizations.EmailAddress;
import dev.okr.organizations.Plan;
import dev.okr.organizations.Role;
import dev.okr.organizations.Slug;
import dev.okr.organizations.TeamRole;
import dev.okr.platform.http.Text;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.yaml.snakeyaml.nodes.Node;

/** Parses an organisation file and makes all checks that need no database. */
public final class OrganizationFileParser {
    private static final int MAX_NAME_CHARACTERS = Text.MAX_TITLE_CODE_POINTS;
    private static final int MAX_TOKEN_CHARACTERS = 128;

    private static final OrganizationFile NOTHING = new OrganizationFile(List.of());

    private final FileErrors errors = new FileErrors();
    private final Unique slugs = new Unique("slug", errors);
    private final Unique emails = new Unique("email", errors);
    private final Unique tokens = new Unique("token", errors);

    private OrganizationFileParser() {}

    /** Returns one line per error, or empty if there are none. */
    public static Optional<String> problems(Path file) throws IOException {
        try {
            parse(file);
            return Optional.empty();
        } catch (InvalidOrganizationFile e) {
            return Optional.of(e.reasons());
        }
    }

    static OrganizationFile parse(Path file) throws IOException, InvalidOrganizationFile {
        try (var content = Files.newInputStream(file)) {
            return parse(content.readNBytes(YamlDocument.MAX_BYTES + 1), String.valueOf(file.getFileName()));
        }
    }

    static OrganizationFile parse(byte[] content, String fileName) throws InvalidOrganizationFile {
        var parser = new OrganizationFileParser();
        var root = YamlDocument.read(content, parser.errors);
        var file = root == null ? NOTHING : parser.file(root);
        parser.errors.throwIfAny(fileName);
        return file;
    }

    private OrganizationFile file(Node root) {
        var organizations = new Section(root, errors, "organizations")
                .requiredSections("organizations", "slug", "name", "plan", "users", "teams").stream()
                        .map(this::organization)
                        .toList();
        return new OrganizationFile(organizations);
    }

    private Organization organization(Section section) {
        var slug = section.text("slug", Slug.MAX_CHARACTERS);
        if (!slug.isEmpty() && !Slug.hasForm(slug)) {
            errors.add(section.line("slug"), "slug " + Slug.RULE);
        }
        slugs.add(section.line("slug"), slug, slug);
        var teamNames = new Unique("team", errors);
        return new Organization(
                slug,
                section.text("name", MAX_NAME_CHARACTERS),
                section.constant("plan", Plan.class),
                section.sections("users", "email", "name", "role", "api_keys").stream()
                        .map(this::user)
                        .toList(),
                section.sections("teams", "name", "members").stream()
                        .map(team -> team(team, teamNames))
                        .toList());
    }

    private User user(Section section) {
        var email = email(section);
        emails.add(section.line("email"), key(email), email);
        var keyNames = new Unique("API key", errors);
        return new User(
                section.line("email"),
                email,
                section.text("name", MAX_NAME_CHARACTERS),
                section.constant("role", Role.class),
                section.sections("api_keys", "name", "token", "scopes", "expires_at").stream()
                        .map(apiKey -> apiKey(apiKey, keyNames))
                        .toList());
    }

    private ApiKey apiKey(Section section, Unique names) {
        var name = section.text("name", MAX_NAME_CHARACTERS);
        names.add(section.line("name"), name, name);
        var scopes = section.constants("scopes", Scope.class);
        return new ApiKey(
                section.line("token"),
                name,
                tokenHash(section),
                scopes.isEmpty() ? EnumSet.allOf(Scope.class) : EnumSet.copyOf(scopes),
                section.optionalTimestamp("expires_at"));
    }

    private byte[] tokenHash(Section section) {
        var token = section.text("token", MAX_TOKEN_CHARACTERS);
        if (!token.isEmpty() && !Token.isWellFormed(token)) {
            errors.add(
                    section.line("token"),
                    "token does not have the format of an API key (okr_, 43 characters and their checksum)");
        }
        tokens.add(section.line("token"), token, "");
        return Token.hash(token);
    }

    private Team team(Section section, Unique names) {
        var name = section.text("name", MAX_NAME_CHARACTERS);
        names.add(section.line("name"), name, name);
        var members = new Unique("member", errors);
        return new Team(
                name,
                section.sections("members", "email", "role").stream()
                        .map(member -> member(member, members))
                        .toList());
    }

    private Member member(Section section, Unique members) {
        var email = email(section);
        members.add(section.line("email"), key(email), email);
        return new Member(section.line("email"), email, section.constant("role", TeamRole.class));
    }

    private String email(Section section) {
        var email = section.text("email", EmailAddress.MAX_CHARACTERS);
        if (!email.isEmpty() && !EmailAddress.hasForm(email)) {
            errors.add(section.line("email"), "email must be an address, not " + FileErrors.quote(email));
        }
        return email;
    }

    /** The form for comparisons, which ignore case. */
    static String key(String email) {
        return EmailAddress.key(email);
    }

    /** Reports values that occur more than once in an organisation file. */
    private static final class Unique {
        private final String what;
        private final FileErrors errors;
        private final Map<String, Integer> lines = new HashMap<>();

        Unique(String what, FileErrors errors) {
            this.what = what;
            this.errors = errors;
        }

        /** @param shown the value for the message; empty for a secret */
        void add(int line, String key, String shown) {
            if (key.isEmpty()) {
                return;
            }
            var first = lines.putIfAbsent(key, line);
            if (first != null) {
                var subject = shown.isEmpty() ? "this " + what : what + " " + FileErrors.quote(shown);
                errors.add(line, subject + " is already in line " + first);
            }
        }
    }
}
