package dev.okr.platform.openapi;

import dev.okr.platform.http.ApiPath;
import dev.okr.platform.http.JsonBody;
import dev.okr.platform.http.OrderedByName;
import dev.okr.platform.http.Page;
import dev.okr.platform.http.Requires;
import dev.okr.platform.http.Right;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBodySchema;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.PathItem.HttpMethod;
import org.jboss.jandex.AnnotationTarget.Kind;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;
import org.jboss.resteasy.reactive.ResponseStatus;
import org.jboss.resteasy.reactive.RestResponse;

/** An operation of the document, with the resource method that serves it. An operation's id is the method's name. */
public record DescribedOperation(String path, HttpMethod method, Operation model, MethodInfo resource) {
    private static final int OK = 200;
    private static final int CREATED = 201;
    private static final int ACCEPTED = 202;

    /** All operations of the document. */
    public static List<DescribedOperation> all(OpenAPI document, IndexView index) {
        var resources = resourceMethods(index);
        return document.getPaths().getPathItems().entrySet().stream()
                .flatMap(path -> path.getValue().getOperations().entrySet().stream()
                        .map(method -> of(path.getKey(), method.getKey(), method.getValue(), resources)))
                .toList();
    }

    private static DescribedOperation of(
            String path, HttpMethod method, Operation model, Map<String, MethodInfo> resources) {
        var resource = resources.get(model.getOperationId());
        if (resource == null) {
            throw new IllegalStateException(
                    "META-INF/openapi.yaml describes an operation that no resource serves: " + method + ' ' + path);
        }
        return new DescribedOperation(path, method, model, resource);
    }

    /** The methods of the API's resource classes that serve operations, by their names. */
    private static Map<String, MethodInfo> resourceMethods(IndexView index) {
        var byName = new HashMap<String, MethodInfo>();
        index.getAnnotations(Path.class).stream()
                .filter(path -> path.target().kind() == Kind.CLASS)
                .filter(path -> path.value().asString().startsWith(ApiPath.PREFIX))
                .map(path -> path.target().asClass().name())
                // The index of the framework has each class twice.
                .distinct()
                .flatMap(name -> index.getClassByName(name).methods().stream())
                .filter(method -> Stream.of(GET.class, POST.class, PUT.class, DELETE.class)
                        .anyMatch(method::hasAnnotation))
                .forEach(method -> {
                    if (byName.put(method.name(), method) != null) {
                        throw new IllegalStateException("Two operations have the name " + method.name());
                    }
                });
        return byName;
    }

    /** The right in the {@link Requires} of the resource class. */
    public Right requiredRight() {
        var requires = resource.declaringClass().declaredAnnotation(Requires.class);
        if (requires == null) {
            throw new IllegalStateException(resource.declaringClass().name() + " does not declare @Requires.");
        }
        return Right.valueOf(requires.value(isWrite() ? "toWrite" : "toRead").asEnum());
    }

    /** The status of a success, from {@code @ResponseStatus}. */
    int status() {
        var status = resource.annotation(ResponseStatus.class);
        return status == null ? OK : status.value().asInt();
    }

    /** The name of the record in {@code @RequestBodySchema}, which is also the name of its schema. */
    String requestSchema() {
        return resource.annotations(RequestBodySchema.class).stream()
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(resource + " has a body without @RequestBodySchema."))
                .value()
                .asClass()
                .name()
                .withoutPackagePrefix();
    }

    boolean isList() {
        return mentions(resource.returnType(), DotName.createSimple(Page.class));
    }

    boolean hasCursor() {
        return isList() && !resource.hasAnnotation(OrderedByName.class);
    }

    /** Whether it returns one resource with an entity tag. A file has none. */
    boolean isSingleRead() {
        return method == HttpMethod.GET
                && !isList()
                && resource.returnType().name().equals(DotName.createSimple(RestResponse.class));
    }

    /** Whether its response has several resources that are not a page. */
    boolean isBatch() {
        return mentions(resource.returnType(), DotName.createSimple(List.class));
    }

    /** Whether its response has an entity tag. */
    boolean hasEntityTag() {
        return isSingleRead() || method == HttpMethod.PUT || (isPost() && !isAccepted() && !isBatch());
    }

    /** Whether it accepts {@code If-Match}. */
    boolean isConditional() {
        return method == HttpMethod.PUT || method == HttpMethod.DELETE;
    }

    boolean isCreation() {
        return status() == CREATED;
    }

    /** Whether the work continues in the background after the response. */
    boolean isAccepted() {
        return status() == ACCEPTED;
    }

    boolean isWrite() {
        return method != HttpMethod.GET;
    }

    /** Whether it accepts an {@code Idempotency-Key}. ArchitectureTest checks that every POST does. */
    boolean isPost() {
        return method == HttpMethod.POST;
    }

    boolean hasBody() {
        return model.getRequestBody() != null;
    }

    /** Whether its body is a JSON object, whose schema is the class in {@code @RequestBodySchema}. */
    boolean hasJsonBody() {
        return hasBody()
                && resource.parameterTypes()
                        .contains(Type.create(DotName.createSimple(JsonBody.class), Type.Kind.CLASS));
    }

    boolean hasPathParameter() {
        return path.contains("{");
    }

    private static boolean mentions(Type type, DotName name) {
        return type.name().equals(name)
                || (type.kind() == Type.Kind.PARAMETERIZED_TYPE
                        && type.asParameterizedType().arguments().stream().anyMatch(each -> mentions(each, name)));
    }
}
