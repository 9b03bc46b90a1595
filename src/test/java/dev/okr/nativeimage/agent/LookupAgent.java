package dev.okr.nativeimage.agent;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.List;
import java.util.Map;

/**
 * Records the lookups that need a registration in a native image. These are lookups of classes, services and resources
 * by name, and types that Jackson reads and writes by reflection. {@code NativeImageIT} compares the recording with the
 * registrations of the build. The agent instruments the call sites, because the recording names the caller.
 *
 * <p>The recording does not contain lookups by method references, by resource bundles or inside the JDK. It also omits
 * lookups during the initialization of a class, because that happens when the image is built.
 *
 * <p>Start the service with {@code -javaagent:okr-lookup-agent.jar=FILE}. The agent appends to the file.
 */
public final class LookupAgent {
    private static final String OURS = "dev/okr/";

    /** Generated proxies cannot see this agent. No image has the class loader of the packaged jar. */
    private static final List<String> IGNORED =
            List.of("jdk/proxy", "io/quarkus/bootstrap/runner/", "dev/okr/nativeimage/");

    private static final ClassDesc RECORDER = ClassDesc.of(Recorder.class.getName());
    private static final ClassDesc OBJECT = ConstantDescs.CD_Object;
    private static final ClassDesc STRING = ConstantDescs.CD_String;
    private static final ClassDesc CLASS = ConstantDescs.CD_Class;

    /** How to record a call, by the owner and name of the called method. */
    private static final Map<String, Instrument> CALLS = Map.ofEntries(
            Map.entry("java/lang/Class.forName", LookupAgent::recordResult),
            Map.entry("java/lang/ClassLoader.loadClass", LookupAgent::recordResult),
            Map.entry("java/lang/invoke/MethodHandles$Lookup.findClass", LookupAgent::recordResult),
            Map.entry("java/util/ServiceLoader.load", LookupAgent::recordService),
            Map.entry("java/lang/ClassLoader.getResource", LookupAgent::recordResource),
            Map.entry("java/lang/ClassLoader.getResources", LookupAgent::recordResource),
            Map.entry("java/lang/ClassLoader.getResourceAsStream", LookupAgent::recordResource),
            Map.entry("java/lang/Class.getResource", LookupAgent::recordRelativeResource),
            Map.entry("java/lang/Class.getResourceAsStream", LookupAgent::recordRelativeResource),
            Map.entry("io/smallrye/config/SmallRyeConfig.getConfigMapping", LookupAgent::recordMapping));

    /** The same for calls from our own classes only. */
    private static final Map<String, Instrument> OUR_CALLS = Map.of(
            "org/eclipse/microprofile/config/Config.getValue", LookupAgent::recordTypedSetting,
            "org/eclipse/microprofile/config/Config.getOptionalValue", LookupAgent::recordTypedSetting,
            "org/eclipse/microprofile/config/Config.getConfigValue", LookupAgent::recordSetting,
            "java/lang/System.getenv", LookupAgent::recordSetting,
            "java/lang/System.getProperty", LookupAgent::recordSetting,
            "java/lang/Runtime.availableProcessors", LookupAgent::recordMachine,
            "java/lang/Runtime.maxMemory", LookupAgent::recordMachine);

    private LookupAgent() {}

    public static void premain(String recording, Instrumentation instrumentation) {
        Recorder.writeTo(Path.of(recording));
        instrumentation.addTransformer(new Transformer());
    }

    /** Emits a call and the code that records it. */
    @FunctionalInterface
    private interface Instrument {
        void emit(CodeBuilder code, InvokeInstruction call, String caller);
    }

    private static final class Transformer implements ClassFileTransformer {
        @Override
        public byte[] transform(
                Module module,
                ClassLoader loader,
                String name,
                Class<?> redefined,
                ProtectionDomain domain,
                byte[] bytes) {
            if (loader == null
                    || loader == ClassLoader.getPlatformClassLoader()
                    || name == null
                    || IGNORED.stream().anyMatch(name::startsWith)) {
                return null;
            }
            try {
                var types = ClassHierarchyResolver.ofResourceParsing(loader)
                        .orElse(ClassHierarchyResolver.defaultResolver());
                var classFile = ClassFile.of(ClassFile.ClassHierarchyResolverOption.of(types));
                var model = classFile.parse(bytes);
                var atStart = atMethodStart(name);
                return atStart != null || makesRecordedCalls(model)
                        ? classFile.transformClass(model, instrumented(name, atStart))
                        : null;
            } catch (RuntimeException e) {
                // The JVM ignores exceptions of a transformer. Without this, the class would be missing from the
                // recording.
                Recorder.failed(name, e);
                return null;
            }
        }
    }

    private static boolean makesRecordedCalls(ClassModel model) {
        for (var entry : model.constantPool()) {
            if (entry instanceof java.lang.classfile.constantpool.MemberRefEntry member) {
                var call = member.owner().asInternalName() + '.' + member.name().stringValue();
                if (CALLS.containsKey(call) || OUR_CALLS.containsKey(call)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static ClassTransform instrumented(String name, ClassTransform atStart) {
        var calls = ClassTransform.transformingMethodBodies(calls(name));
        return atStart == null ? calls : calls.andThen(atStart);
    }

    private static CodeTransform calls(String name) {
        var caller = name.replace('/', '.');
        return (code, element) -> {
            var instrument = element instanceof InvokeInstruction call ? instrument(name, call) : null;
            if (instrument == null) {
                code.with(element);
            } else {
                instrument.emit(code, (InvokeInstruction) element, caller);
            }
        };
    }

    private static Instrument instrument(String caller, InvokeInstruction call) {
        var called = call.owner().asInternalName() + '.' + call.name().stringValue();
        if (call.typeSymbol().parameterCount() == 0
                && !call.typeSymbol().returnType().isPrimitive()) {
            return null;
        }
        var ours = caller.startsWith(OURS) ? OUR_CALLS.get(called) : null;
        return ours == null ? CALLS.get(called) : ours;
    }

    private static void recordResult(CodeBuilder code, InvokeInstruction call, String caller) {
        code.with((CodeElement) call).dup().ldc(caller);
        record(code, "foundClass", CLASS, STRING);
    }

    private static void recordService(CodeBuilder code, InvokeInstruction call, String caller) {
        code.with((CodeElement) call).dup().ldc(caller);
        record(code, "service", OBJECT, STRING);
    }

    private static void recordResource(CodeBuilder code, InvokeInstruction call, String caller) {
        code.dup().ldc(caller);
        record(code, "resource", STRING, STRING);
        code.with((CodeElement) call);
    }

    private static void recordRelativeResource(CodeBuilder code, InvokeInstruction call, String caller) {
        code.dup2().ldc(caller);
        record(code, "resource", CLASS, STRING, STRING);
        code.with((CodeElement) call);
    }

    private static void recordSetting(CodeBuilder code, InvokeInstruction call, String caller) {
        if (call.typeSymbol().parameterCount() == 1) {
            code.dup().ldc(caller);
            record(code, "setting", STRING, STRING);
        }
        code.with((CodeElement) call);
    }

    private static void recordTypedSetting(CodeBuilder code, InvokeInstruction call, String caller) {
        code.dup2().ldc(caller);
        record(code, "setting", STRING, CLASS, STRING);
        code.with((CodeElement) call);
    }

    private static void recordMachine(CodeBuilder code, InvokeInstruction call, String caller) {
        code.ldc(call.name().stringValue()).ldc(caller);
        record(code, "setting", STRING, STRING);
        code.with((CodeElement) call);
    }

    private static void recordMapping(CodeBuilder code, InvokeInstruction call, String caller) {
        if (call.typeSymbol().parameterCount() == 1) {
            code.dup().ldc(caller);
            record(code, "mapping", CLASS, STRING);
        } else {
            code.dup2().pop().ldc(caller);
            record(code, "mapping", CLASS, STRING);
        }
        code.with((CodeElement) call);
    }

    /** Methods of libraries that are instrumented at their start instead of at their callers. */
    private static ClassTransform atMethodStart(String name) {
        return switch (name) {
            case "com/fasterxml/jackson/databind/ser/BeanSerializerFactory" ->
                atStart("constructBeanOrAddOnSerializer", 2, "serializer");
            case "com/fasterxml/jackson/databind/deser/BeanDeserializerFactory" ->
                atStart("buildBeanDeserializer", 2, "deserializer");
            case "io/quarkus/arc/runtime/ConfigStaticInitValues" -> atStart("recordConfigValue", 1, "injected");
            default -> null;
        };
    }

    private static ClassTransform atStart(String method, int argument, String recorded) {
        return ClassTransform.transformingMethodBodies(
                candidate -> candidate.methodName().equalsString(method),
                CodeTransform.ofStateful(() -> new CodeTransform() {
                    @Override
                    public void atStart(CodeBuilder code) {
                        code.aload(argument);
                        if (recorded.equals("injected")) {
                            code.aload(argument + 1);
                            record(code, recorded, OBJECT, STRING);
                        } else {
                            record(code, recorded, OBJECT);
                        }
                    }

                    @Override
                    public void accept(CodeBuilder code, CodeElement element) {
                        code.with(element);
                    }
                }));
    }

    private static void record(CodeBuilder code, String method, ClassDesc... parameters) {
        code.invokestatic(RECORDER, method, MethodTypeDesc.of(ConstantDescs.CD_void, parameters));
    }
}
