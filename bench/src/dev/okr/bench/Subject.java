package dev.okr.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The resources that a steady load reads and changes, made over the API.
 *
 * @param objectives each with one key result
 */
record Subject(List<String> objectives, List<String> keyResults) {
    private static final String CYCLE =
            """
            {"name":"Benchmark","starts_at":"2020-01-01T00:00:00Z","ends_at":"2090-01-01T00:00:00Z"}""";

    /** A target that no check-in reaches. */
    private static final String KEY_RESULT =
            """
            {"title":"Onboarded customers","metric_type":"number","start_value":0,"target_value":10000000000}""";

    static Subject make(Api api, int count) throws IOException {
        var cycle = api.change("POST", "/v1/cycles", CYCLE).id();
        var objectives = new ArrayList<String>();
        var keyResults = new ArrayList<String>();
        for (int i = 0; i < count; i++) {
            var objective = "{\"title\":\"Objective %d\",\"cycle_id\":\"%s\"}".formatted(i, cycle);
            objectives.add(api.change("POST", "/v1/objectives", objective).id());
            var path = "/v1/objectives/%s/key-results".formatted(objectives.getLast());
            keyResults.add(api.change("POST", path, KEY_RESULT).id());
        }
        return new Subject(objectives, keyResults);
    }

    /** Opens endpoints that respond, and subscribes them to check-ins. */
    static List<Endpoint> subscribe(Api api, Receiver receiver, int count) throws IOException {
        var endpoints = new ArrayList<Endpoint>();
        for (int i = 0; i < count; i++) {
            var endpoint = receiver.open(true);
            var webhook = "{\"url\":\"%s\",\"events\":[\"check_in.created\"]}".formatted(endpoint.url());
            api.change("POST", "/v1/webhooks", webhook);
            endpoints.add(endpoint);
        }
        return endpoints;
    }
}
