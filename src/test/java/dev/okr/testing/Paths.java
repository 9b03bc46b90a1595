package dev.okr.testing;

/** The paths of nested resources. */
public final class Paths {
    private Paths() {}

    public static String objective(String objective) {
        return "/v1/objectives/" + objective;
    }

    public static String keyResults(String objective) {
        return objective(objective) + "/key-results";
    }

    public static String keyResult(String objective, String keyResult) {
        return keyResults(objective) + '/' + keyResult;
    }

    public static String checkIns(String keyResult) {
        return "/v1/key-results/" + keyResult + "/check-ins";
    }

    public static String checkIn(String keyResult, String checkIn) {
        return checkIns(keyResult) + '/' + checkIn;
    }
}
