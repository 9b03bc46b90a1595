package dev.okr.nativeimage.agent;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Writes each lookup to a file, once. The instrumented classes of the service call these methods, so they must not use
 * classes of the service.
 */
public final class Recorder {
    private static final StackWalker STACK = StackWalker.getInstance();
    private static final Set<String> SEEN = ConcurrentHashMap.newKeySet();
    private static volatile Path file;

    private Recorder() {}

    static void writeTo(Path recording) {
        file = recording;
    }

    public static void foundClass(Class<?> found, String caller) {
        // A lookup that finds nothing on the JVM finds nothing in a native image either.
        if (found != null) {
            record("class", found.getName(), caller);
        }
    }

    public static void service(Object loader, String caller) {
        // The text is, for example, java.util.ServiceLoader[the.Service].
        var text = loader.toString();
        record("service", text.substring(text.indexOf('[') + 1, text.length() - 1), caller);
    }

    public static void resource(String name, String caller) {
        record("resource", name, caller);
    }

    public static void resource(Class<?> relativeTo, String name, String caller) {
        var folder = relativeTo.getPackageName().replace('.', '/') + '/';
        record("resource", name.startsWith("/") ? name.substring(1) : folder + name, caller);
    }

    public static void serializer(Object type) {
        record("serializer", rawClass(type), "Jackson");
    }

    public static void deserializer(Object type) {
        record("deserializer", rawClass(type), "Jackson");
    }

    /**
     * A value of the configuration, the environment or the machine. Only reads at the build of an image are recorded.
     */
    public static void setting(String name, String caller) {
        if (SEEN.add("setting " + name + ' ' + caller) && isBuildTime()) {
            write("setting", name, caller);
        }
    }

    public static void setting(String name, Class<?> type, String caller) {
        setting(name, caller);
    }

    public static void mapping(Class<?> mapping, String caller) {
        setting(mapping.getName(), caller);
    }

    /** A configuration property that ArC injects at the build of an image. */
    public static void injected(Object injectionPoint, String name) {
        var bean = call(injectionPoint, "getBean");
        write("setting", name, bean == null ? "?" : ((Class<?>) call(bean, "getBeanClass")).getName());
    }

    /** A class whose calls are missing from the recording. */
    static void failed(String name, Exception reason) {
        write("failed", name, reason.toString().replaceAll("\\s", " "));
    }

    private static void record(String kind, String name, String caller) {
        var lookup = kind + ' ' + name + ' ' + caller;
        if (!SEEN.contains(lookup) && !isBuildTime() && SEEN.add(lookup)) {
            write(kind, name, caller);
        }
    }

    /**
     * Whether this code would run at the build of an image. Quarkus then initializes classes, and one of them runs the
     * static part of the start.
     */
    private static boolean isBuildTime() {
        return STACK.walk(
                frames -> frames.anyMatch(frame -> frame.getMethodName().equals("<clinit>")));
    }

    private static String rawClass(Object javaType) {
        return ((Class<?>) call(javaType, "getRawClass")).getName();
    }

    private static Object call(Object target, String method) {
        try {
            var found = target.getClass().getMethod(method);
            found.setAccessible(true);
            return found.invoke(target);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void write(String kind, String name, String caller) {
        try {
            Files.writeString(
                    file,
                    kind + '\t' + name + '\t' + caller + '\n',
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
