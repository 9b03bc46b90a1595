package dev.okr.platform.http;

import org.jboss.resteasy.reactive.RestResponse;

/** The envelope of a single resource. */
public record Data<T>(T data) {

    /** Returns 202. The work continues in the background. */
    public static <T> RestResponse<Data<T>> accepted(T data) {
        return RestResponse.ResponseBuilder.<Data<T>>create(RestResponse.Status.ACCEPTED, new Data<>(data))
                .build();
    }
}
