package dev.okr.platform.openapi;

import dev.okr.platform.http.OrderedByName;
import dev.okr.platform.http.Page;
import dev.okr.platform.http.Requires;
import dev.okr.platform.http.Right;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBodySchema;
import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;
import org.jboss.resteasy.reactive.ResponseStatus;

/** What a resource method says about its operation by its annotations and its return type. */
public record ResourceMethod(MethodInfo info) {
    private static final int OK = 200;

    boolean isOperation() {
        return Stream.of(GET.class, POST.class, PUT.class, DELETE.class).anyMatch(info::hasAnnotation);
    }

    public Right requiredRight(boolean reading) {
        var requires = info.declaringClass().declaredAnnotation(Requires.class);
        if (requires == null) {
            throw new IllegalStateException(info.declaringClass().name() + " does not declare @Requires.");
        }
        return Right.valueOf(requires.value(reading ? "toRead" : "toWrite").asEnum());
    }

    /** The status of a success, from {@code @ResponseStatus}. */
    int status() {
        var status = info.annotation(ResponseStatus.class);
        return status == null ? OK : status.value().asInt();
    }

    boolean returnsPage() {
        return mentions(info.returnType(), DotName.createSimple(Page.class));
    }

    boolean isOrderedByName() {
        return info.hasAnnotation(OrderedByName.class);
    }

    /** The name of the record in {@code @RequestBodySchema}, which is also the name of its schema. */
    String requestSchema() {
        return info.annotations(RequestBodySchema.class).stream()
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(info + " has a body without @RequestBodySchema."))
                .value()
                .asClass()
                .name()
                .withoutPackagePrefix();
    }

    private static boolean mentions(Type type, DotName name) {
        return type.name().equals(name)
                || (type.kind() == Type.Kind.PARAMETERIZED_TYPE
                        && type.asParameterizedType().arguments().stream().anyMatch(each -> mentions(each, name)));
    }
}
