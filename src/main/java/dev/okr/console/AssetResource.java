package dev.okr.console;

import dev.okr.platform.errors.Failure;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;

/** Serves the stylesheet and the script. */
@Path("/settings/assets")
@RunOnVirtualThread
public class AssetResource {
    private static final String FOREVER = "public, max-age=31536000, immutable";

    private final Assets assets;

    AssetResource(Assets assets) {
        this.assets = assets;
    }

    @GET
    @Path("/{hash}/{name}")
    public Response asset(@PathParam("hash") String hash, @PathParam("name") String name) {
        var asset = assets.find(hash, name).orElseThrow(() -> Failure.notFound("file"));
        return Response.ok(asset.content(), asset.type())
                .header(HttpHeaders.CACHE_CONTROL, FOREVER)
                .build();
    }
}
