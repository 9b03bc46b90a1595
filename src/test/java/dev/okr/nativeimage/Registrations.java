package dev.okr.nativeimage;

import static java.util.stream.Collectors.toUnmodifiableSet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.StringEntry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The registrations of a native image, from the sources that Quarkus generates for the compiler. */
final class Registrations {
    private static final Path SOURCES = Path.of("target", "native-sources");
    private static final String METADATA = "META-INF/native-image/";
    private static final String SERVICES = "META-INF/services/";
    private static final Pattern EXCLUDED = Pattern.compile("--exclude-config (\\S+) (\\S+)");

    /** This feature registers the classes that its strings name. */
    private static final String CAFFEINE_FEATURE = "io.quarkus.caffeine.runtime.graal.CacheConstructorsFeature";

    /** Hibernate's feature registers the classes that this class names. */
    private static final String HIBERNATE_LISTS = "org.hibernate.graalvm.internal.StaticClassLists";

    private final ObjectMapper json = new ObjectMapper();
    private final Map<String, byte[]> classes = new HashMap<>();
    private final Set<String> resources = new HashSet<>();
    private final Map<String, Set<String>> providers = new HashMap<>();
    private final Set<String> types = new HashSet<>();
    private final List<Pattern> resourcePatterns = new ArrayList<>();
    private final String arguments;

    private Registrations(String arguments) {
        this.arguments = arguments;
    }

    static Registrations read() throws IOException {
        var registrations = new Registrations(Files.readString(SOURCES.resolve("native-image.args")));
        for (var jar : jars()) {
            registrations.addJar(jar);
        }
        registrations.addFeatures();
        return registrations;
    }

    /** The arguments of the compiler. */
    String arguments() {
        return arguments;
    }

    boolean hasType(String name) {
        return types.contains(name);
    }

    /** Whether a class is in the image's class path. Classes of the JDK are not checked. */
    boolean isOnClassPath(String name) {
        return classes.containsKey(name);
    }

    /** Whether the resource exists and is not registered. */
    boolean lacksResource(String name) {
        return resources.contains(name)
                && resourcePatterns.stream()
                        .noneMatch(pattern -> pattern.matcher(name).matches());
    }

    /** The implementations of a service in the image's class path. */
    Set<String> providers(String service) {
        return providers.getOrDefault(service, Set.of());
    }

    /**
     * Whether a class contains the name of another as a constant. The compiler finds such a lookup without a
     * registration.
     */
    boolean names(String caller, String name) {
        return classes.containsKey(caller) && strings(caller).contains(name);
    }

    private static List<Path> jars() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            return files.filter(file -> file.toString().endsWith(".jar")).toList();
        }
    }

    private void addJar(Path file) throws IOException {
        try (var jar = new JarFile(file.toFile())) {
            for (var entry : (Iterable<java.util.jar.JarEntry>) jar.stream()::iterator) {
                var name = entry.getName();
                var bytes = jar.getInputStream(entry).readAllBytes();
                if (name.endsWith(".class")) {
                    classes.put(
                            name.substring(0, name.length() - ".class".length()).replace('/', '.'), bytes);
                } else if (name.startsWith(METADATA) && name.endsWith(".json")) {
                    if (!isExcluded(file, name)) {
                        addMetadata(name, json.readTree(bytes));
                    }
                } else if (!entry.isDirectory()) {
                    resources.add(name);
                    if (name.startsWith(SERVICES)) {
                        providers
                                .computeIfAbsent(name.substring(SERVICES.length()), service -> new HashSet<>())
                                .addAll(providers(bytes));
                    }
                }
            }
        }
    }

    private boolean isExcluded(Path jar, String resource) {
        return EXCLUDED.matcher(arguments)
                .results()
                .anyMatch(excluded -> Pattern.compile(excluded.group(1))
                                .matcher(jar.toString())
                                .find()
                        && Pattern.compile(excluded.group(2))
                                .matcher('/' + resource)
                                .find());
    }

    private static Set<String> providers(byte[] text) {
        return new String(text, StandardCharsets.UTF_8)
                .lines()
                .map(line -> line.replaceFirst("#.*", "").strip())
                .filter(line -> !line.isEmpty())
                .collect(toUnmodifiableSet());
    }

    private void addMetadata(String file, JsonNode content) {
        if (file.endsWith("reflect-config.json")) {
            content.forEach(type -> types.add(type.path("name").asText()));
        } else if (file.endsWith("resource-config.json")) {
            content.path("resources").path("includes").forEach(this::addResourcePattern);
        } else if (file.endsWith("reachability-metadata.json")) {
            content.path("reflection")
                    .forEach(type -> types.add(type.path("type").asText()));
            content.path("resources").forEach(resource -> {
                var glob = resource.path("glob").asText();
                resourcePatterns.add(Pattern.compile(glob.replace(".", "\\.")
                        .replace("**", "\0")
                        .replace("*", "[^/]*")
                        .replace("\0", ".*")));
            });
        }
    }

    private void addResourcePattern(JsonNode include) {
        resourcePatterns.add(Pattern.compile(include.path("pattern").asText()));
    }

    /** Features register classes in code. The names of these classes are in the constant pools of the features. */
    private void addFeatures() {
        types.addAll(strings(CAFFEINE_FEATURE));
        ClassFile.of().parse(classes.get(HIBERNATE_LISTS)).constantPool().forEach(entry -> {
            if (entry instanceof ClassEntry type) {
                types.add(type.asInternalName().replace('/', '.'));
            }
        });
    }

    private Set<String> strings(String className) {
        var strings = new HashSet<String>();
        ClassFile.of().parse(classes.get(className)).constantPool().forEach(entry -> {
            if (entry instanceof StringEntry string) {
                strings.add(string.stringValue());
            }
        });
        return strings;
    }
}
