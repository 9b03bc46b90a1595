package dev.okr.nativeimage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.okr.testing.LookupRecording;
import dev.okr.testing.Program;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * A native image can look up by name only what was registered at its build. This test compares the recorded lookups of
 * the packaged service with the registrations that Quarkus makes for the compiler. It runs last, after the tests that
 * cause the lookups. JUnit starts classes that need no Quarkus last.
 */
@Order(Integer.MAX_VALUE)
class NativeImageIT {

    /** Lookups that need no registration, and why. */
    private static final Map<String, String> NOT_NEEDED = Map.of(
            "application.properties",
            "Quarkus records its content when it builds the image",
            "jbossts-properties.xml",
            "Quarkus sets these properties itself",
            "postgres-linux-x86_64.txz",
            "the embedded database is only in builds for the JVM",
            "io.smallrye.config.SmallRyeConfigFactory",
            "commands read the configuration before Quarkus starts, which works in the image (CommandsIT)",
            "io.smallrye.common.net.CidrAddress",
            "generated code names it by a constant, which the compiler sees",
            "io.quarkus.vertx.http.runtime.TrustedProxyCheck$TrustedProxyCheckPart",
            "generated code names it by a constant, which the compiler sees");

    /** The demonstration is only in builds for the JVM. */
    private static final String DEMONSTRATION = "dev.okr.operations.demo.";

    private static Registrations registrations;
    private static List<Lookup> lookups;

    /** A line of the recording. */
    private record Lookup(String kind, String name, String caller) {
        static Lookup of(String line) {
            var fields = line.split("\t", -1);
            return new Lookup(fields[0], fields[1], fields[2]);
        }

        @Override
        public String toString() {
            return name + ", looked up by " + caller;
        }
    }

    @BeforeAll
    static void read() throws IOException {
        assumeFalse(Program.isNative(), "a native binary takes no agent");
        registrations = Registrations.read();
        lookups = LookupRecording.lines().stream()
                .map(Lookup::of)
                .filter(lookup -> !NOT_NEEDED.containsKey(lookup.name()))
                .filter(lookup -> !lookup.name().replace('/', '.').startsWith(DEMONSTRATION))
                .distinct()
                .toList();
    }

    @Test
    void the_recording_is_complete() {
        assertThat(lookups).extracting(Lookup::kind).contains("class", "service", "resource", "serializer");
        assertThat(lookups)
                .anyMatch(lookup ->
                        lookup.kind().equals("serializer") && lookup.name().startsWith("dev.okr."));
        assertThat(lookups).filteredOn(lookup -> lookup.kind().equals("failed")).isEmpty();
    }

    @Test
    void jackson_knows_every_type_that_it_reads_or_writes() {
        assertThat(lookups)
                .filteredOn(lookup -> lookup.kind().endsWith("serializer"))
                .filteredOn(lookup -> registrations.isOnClassPath(lookup.name()))
                .filteredOn(lookup -> !registrations.hasType(lookup.name()))
                .isEmpty();
    }

    @Test
    void every_class_that_is_looked_up_by_name_is_registered() {
        assertThat(lookups)
                .filteredOn(lookup -> lookup.kind().equals("class"))
                .filteredOn(lookup -> registrations.isOnClassPath(lookup.name()))
                .filteredOn(lookup -> !registrations.hasType(lookup.name()))
                .filteredOn(lookup -> !registrations.names(lookup.caller(), lookup.name()))
                .isEmpty();
    }

    @Test
    void every_service_that_is_loaded_is_registered_with_its_providers() {
        assertThat(lookups)
                .filteredOn(lookup -> lookup.kind().equals("service"))
                .filteredOn(lookup -> registrations.lacksResource("META-INF/services/" + lookup.name())
                        || !registrations.providers(lookup.name()).stream().allMatch(registrations::hasType))
                .isEmpty();
    }

    @Test
    void every_resource_that_is_opened_is_in_the_image() {
        assertThat(lookups)
                .filteredOn(lookup -> lookup.kind().equals("resource"))
                .filteredOn(lookup -> registrations.lacksResource(lookup.name()))
                .isEmpty();
    }

    @Test
    void nothing_that_is_created_at_build_time_has_a_setting_of_the_run_time() {
        assertThat(lookups)
                .filteredOn(lookup -> lookup.kind().equals("setting"))
                .filteredOn(lookup ->
                        lookup.caller().startsWith("dev.okr.") || lookup.name().startsWith("dev.okr."))
                .isEmpty();
    }

    @Test
    void the_compiler_sees_the_settings_that_libraries_read_when_their_classes_are_initialized() {
        assertThat(registrations.arguments().split(" ")).contains("-J-Dvertx.disableWebsockets=true");
    }
}
