package dev.okr.operations.commands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.okr.access.Scope;
import dev.okr.access.Token;
import dev.okr.operations.commands.OrganizationCommand.Create;
import dev.okr.organizations.Plan;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** The behaviour of the command line before Quarkus starts. */
class CommandLineToolTest {
    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            nonsense                                                    | Unmatched argument
            key                                                         | Missing required subcommand
            key revoke                                                  | Missing required parameter: 'KEY_ID'
            key create --user ada@acme.test                             | Missing required option: '--name=NAME'
            key create --user ada --name ci                             | 'ada' must be an email address
            key create --user ada@acme.test --name ci --scopes read,all | 'all' must be one of read, write, webhooks
            key create --user ada@acme.test --name ci --expires-at 2027 | '2027' must be a timestamp
            key create --user a@b --name ci --expires-at 2020-01-01T00:00:00Z | --expires-at must be in the future
            user erase 0@erased.invalid --yes                            | must be an email address
            organization create --slug _ --name Acme                    | '_' must be letters, digits
            organization create --slug acme --name Acme --plan gold     | 'gold' must be one of free, team
            organization create --slug a --name A --admin-email a@b.c   | Missing required argument(s): --admin-name=NAME
            organization set-plan acme                                  | Missing required parameter: 'PLAN'
            user erase ada@acme.test                                    | confirm with --yes
            user create --organization acme --email a@b --name A        | Missing required option: '--role=ROLE'
            user create --organization a --email a@b --name A --role x  | 'x' must be one of viewer, member, admin
            user list                                                   | Missing required option: '--organization=SLUG'
            """)
    void wrong_usage_prints_the_mistake_and_the_help_command(String arguments, String mistake) {
        assertThat(run(arguments.split(" "))).isEqualTo(2);

        assertThat(errors.toString()).contains(mistake, "Try: okr").hasLineCount(2);
        assertThat(output.toString()).isEmpty();
    }

    @Test
    void every_command_has_help_and_needs_nothing_for_it() {
        var commands = new ArrayList<CommandLine>(List.of(CommandLineTool.commands()));
        for (int i = 0; i < commands.size(); i++) {
            commands.addAll(commands.get(i).getSubcommands().values());
        }
        assertThat(commands).hasSizeGreaterThan(10).allSatisfy(command -> {
            var path = command.getCommandSpec().qualifiedName().split(" ");
            path[0] = "";
            var arguments = String.join(" ", path).strip() + " --help";

            assertThat(run(arguments.strip().split(" "))).isZero();
            assertThat(output.toString()).contains(command.getCommandSpec().qualifiedName());
        });
        assertThat(errors.toString()).isEmpty();
    }

    @Test
    void a_generated_token_is_well_formed_and_the_only_output() {
        assertThat(run("key", "generate")).isZero();

        assertThat(Token.isWellFormed(output.toString().strip())).isTrue();
        assertThat(errors.toString()).isEmpty();
    }

    @Test
    void the_version_is_that_of_the_build() {
        assertThat(run("--version")).isZero();
        assertThat(output.toString()).matches("okr \\d+\\.\\d+\\S*\\s*");
    }

    @Test
    void options_have_their_documented_defaults() {
        var key = (KeyCommand.Create) parsed("key", "create", "--user", "ada@acme.test", "--name", " ci ");
        assertThat(key.scopes).containsExactly(Scope.values());
        assertThat(key.expiresAt).isNull();
        assertThat(key.name.text()).isEqualTo("ci");

        assertThat(((Create) parsed("organization", "create", "--slug", "acme", "--name", "Acme")).plan)
                .isEqualTo(Plan.BUSINESS);
    }

    @Test
    void options_override_defaults() {
        var key = (KeyCommand.Create)
                parsed("key", "create", "--user", "ada@acme.test", "--name", "ci", "--scopes", "write,read");
        assertThat(key.scopes).containsExactlyInAnyOrder(Scope.READ, Scope.WRITE);
    }

    @Test
    void a_token_that_could_not_be_written_is_an_error() {
        var full = new Writer() {
            @Override
            public void write(char[] text, int offset, int length) throws IOException {
                throw new IOException("No space left on device");
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        var key = (DatabaseCommand) parsed("key", "create", "--user", "ada@acme.test", "--name", "ci");
        key.spec.commandLine().setOut(new PrintWriter(full));

        assertThatThrownBy(() -> key.print("okr_token", "Revoke the key."))
                .isInstanceOf(CommandFailure.class)
                .hasMessage("The output could not be written. Revoke the key.");
    }

    @Test
    void an_organisation_file_is_checked_as_at_a_start(@TempDir Path folder) throws Exception {
        var file = folder.resolve("organizations.yaml");
        Files.writeString(file, """
                organizations:
                  - slug: acme
                    name: Acme Corp
                    plan: gold
                    users:
                      - {email: ada, name: Ada Lovelace, role: admin}
                """);

        assertThat(run("bootstrap", "check", file.toString())).isOne();
        assertThat(errors.toString()).isEqualTo("""
                organizations.yaml line 4: plan must be one of free, team, business, enterprise, not "gold"
                organizations.yaml line 6: email must be an address, not "ada"
                """);

        Files.writeString(file, "organizations: []");
        assertThat(run("bootstrap", "check", file.toString())).isZero();
        assertThat(run("bootstrap", "check", folder.resolve("none.yaml").toString()))
                .isOne();
    }

    private int run(String... arguments) {
        return CommandLineTool.commands()
                .setOut(new PrintWriter(output, true))
                .setErr(new PrintWriter(errors, true))
                .execute(arguments);
    }

    private static Object parsed(String... arguments) {
        var parsed = CommandLineTool.commands().parseArgs(arguments);
        while (parsed.hasSubcommand()) {
            parsed = parsed.subcommand();
        }
        return parsed.commandSpec().userObject();
    }
}
