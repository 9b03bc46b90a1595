package dev.okr.console;

import dev.okr.platform.errors.Failure;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Serves the stylesheet and the script. Their URLs contain a hash of their content, so that browsers can cache them.
 */
@Path(AssetResource.PATH)
@RunOnVirtualThread
public class AssetResource {
    static final String PATH = ConsolePath.ROOT + "/assets";

    private static final String FOREVER = "public, max-age=31536000, immutable";
    private static final int HASH_BYTES = 8;

    private final Asset stylesheet =
            load("text/css;charset=UTF-8", "console.css", "overview.css", "week.css", "objectives.css");
    private final Asset script = load("text/javascript;charset=UTF-8", "console.js");

    private record Asset(String name, String type, byte[] content, String hash) {}

    @GET
    @Path("/{hash}/{name}")
    public Response asset(@PathParam("hash") String hash, @PathParam("name") String name) {
        // The hash may come from a page of another release.
        var found = Stream.of(stylesheet, script)
                .filter(asset -> asset.name().equals(name) && asset.hash().equals(hash))
                .findFirst()
                .orElseThrow(() -> Failure.notFound("file"));
        return Response.ok(found.content(), found.type())
                .header(HttpHeaders.CACHE_CONTROL, FOREVER)
                .build();
    }

    String stylesheet() {
        return url(stylesheet);
    }

    String script() {
        return url(script);
    }

    private static String url(Asset asset) {
        return PATH + '/' + asset.hash() + '/' + asset.name();
    }

    /** Concatenates files. The asset has the name of the first one. */
    private static Asset load(String type, String... files) {
        try {
            var content = new ByteArrayOutputStream();
            for (var file : files) {
                content.writeBytes(read(file));
            }
            var hash = MessageDigest.getInstance("SHA-256").digest(content.toByteArray());
            return new Asset(
                    files[0], type, content.toByteArray(), HexFormat.of().formatHex(hash, 0, HASH_BYTES));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256.", e);
        }
    }

    private static byte[] read(String name) throws IOException {
        try (var file = AssetResource.class.getResourceAsStream("/settings/" + name)) {
            return Objects.requireNonNull(file, name).readAllBytes();
        }
    }
}
