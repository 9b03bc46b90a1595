package dev.okr.objectives.mcp;

import dev.okr.platform.http.ApiPath;
import jakarta.ws.rs.core.MultivaluedHashMap;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.core.PathSegment;
import jakarta.ws.rs.core.UriBuilder;
import jakarta.ws.rs.core.UriInfo;
import java.net.URI;
import java.util.List;

/** The query parameters of a tool call, in the form that a resource expects. */
final class Query implements UriInfo {
    private final MultivaluedMap<String, String> parameters = new MultivaluedHashMap<>();

    void set(String name, String value) {
        parameters.putSingle(name, value);
    }

    boolean has(String name) {
        return parameters.containsKey(name);
    }

    @Override
    public MultivaluedMap<String, String> getQueryParameters() {
        return parameters;
    }

    @Override
    public MultivaluedMap<String, String> getQueryParameters(boolean decode) {
        return parameters;
    }

    /** Only for the links of a page, which tools do not show. */
    @Override
    public URI getRequestUri() {
        return URI.create(ApiPath.TOOLS);
    }

    @Override
    public String getPath() {
        throw none();
    }

    @Override
    public String getPath(boolean decode) {
        throw none();
    }

    @Override
    public List<PathSegment> getPathSegments() {
        throw none();
    }

    @Override
    public List<PathSegment> getPathSegments(boolean decode) {
        throw none();
    }

    @Override
    public UriBuilder getRequestUriBuilder() {
        throw none();
    }

    @Override
    public URI getAbsolutePath() {
        throw none();
    }

    @Override
    public UriBuilder getAbsolutePathBuilder() {
        throw none();
    }

    @Override
    public URI getBaseUri() {
        throw none();
    }

    @Override
    public UriBuilder getBaseUriBuilder() {
        throw none();
    }

    @Override
    public MultivaluedMap<String, String> getPathParameters() {
        throw none();
    }

    @Override
    public MultivaluedMap<String, String> getPathParameters(boolean decode) {
        throw none();
    }

    @Override
    public List<String> getMatchedURIs() {
        throw none();
    }

    @Override
    public List<String> getMatchedURIs(boolean decode) {
        throw none();
    }

    @Override
    public List<Object> getMatchedResources() {
        throw none();
    }

    @Override
    public URI resolve(URI uri) {
        throw none();
    }

    @Override
    public URI relativize(URI uri) {
        throw none();
    }

    private static UnsupportedOperationException none() {
        return new UnsupportedOperationException("A tool call has only query parameters.");
    }
}
