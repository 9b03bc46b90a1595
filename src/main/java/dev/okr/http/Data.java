package dev.okr.http;

import jakarta.ws.rs.core.HttpHeaders;
import org.jboss.resteasy.reactive.RestResponse;

/** The envelope of a single resource (specification, section 2.1). */
public record Data<T>(T data) {

    /** Answers 201 with the new resource's address: where it is read, or else changed or deleted. */
    public static <T> RestResponse<Data<T>> created(String location, T data) {
        return RestResponse.ResponseBuilder.<Data<T>>create(RestResponse.Status.CREATED, new Data<>(data))
                .header(HttpHeaders.LOCATION, location)
                .build();
    }
}
