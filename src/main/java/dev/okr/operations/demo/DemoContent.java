package dev.okr.operations.demo;

import static dev.okr.objectives.AlignmentType.CONTRIBUTES_TO;
import static dev.okr.objectives.AlignmentType.SUPPORTS;
import static dev.okr.objectives.MetricType.BOOLEAN;
import static dev.okr.objectives.MetricType.CURRENCY;
import static dev.okr.objectives.MetricType.NUMBER;
import static dev.okr.objectives.MetricType.PERCENTAGE;
import static dev.okr.objectives.ObjectiveStatus.AT_RISK;
import static dev.okr.objectives.ObjectiveStatus.BEHIND;
import static dev.okr.objectives.ObjectiveStatus.COMPLETED;
import static dev.okr.objectives.ObjectiveStatus.NOT_STARTED;
import static dev.okr.objectives.ObjectiveStatus.ON_TRACK;

import dev.okr.objectives.AlignmentType;
import dev.okr.objectives.MetricType;
import dev.okr.objectives.ObjectiveStatus;
import dev.okr.objectives.progress.Progress;
import dev.okr.organizations.Role;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The content of the demonstration organisation: a software company in the middle of a cycle. */
final class DemoContent {
    static final String ORGANIZATION = "Meridian Software";

    static final String GROWTH = "Growth";
    static final String PLATFORM = "Platform";
    static final String SUCCESS = "Customer Success";

    static final List<DemoUser> PEOPLE = List.of(
            new DemoUser("ada", "Ada Lovelace", Role.ADMIN),
            new DemoUser("grace", "Grace Hopper", Role.MEMBER),
            new DemoUser("katherine", "Katherine Johnson", Role.MEMBER),
            new DemoUser("margaret", "Margaret Hamilton", Role.MEMBER),
            new DemoUser("alan", "Alan Turing", Role.MEMBER),
            new DemoUser("dorothy", "Dorothy Vaughan", Role.VIEWER));

    static final List<Team> TEAMS = List.of(
            new Team(GROWTH, "katherine", List.of("ada", "alan")),
            new Team(PLATFORM, "grace", List.of("alan")),
            new Team(SUCCESS, "margaret", List.of("dorothy", "katherine")));

    private static final String REVENUE = "Grow recurring revenue sustainably";
    private static final String FIRST_WEEK = "Make new customers successful in their first week";
    private static final String RELIABILITY = "Run a platform that customers never have to think about";
    private static final String SUPPORT = "Turn support into a reason to stay";
    private static final String PUBLIC_API = "Ship a public API that partners build on";

    static final List<Objective> COMPLETED_OBJECTIVES = List.of(
            objective(PUBLIC_API, PLATFORM, "grace", COMPLETED, "Integrations are the top request of our partners.")
                    .with(keyResult("Open the API to all Business customers", BOOLEAN, "0", "1")
                            .at("0", "Closed beta with six partners.")
                            .at("1", "Open since this morning."))
                    .with(keyResult("Document every operation", PERCENTAGE, "40", "100")
                            .at("65", null)
                            .at("88", "Webhooks are still missing.")
                            .at("100", "Done, with runnable examples."))
                    .with(keyResult("Partners with an integration in production", NUMBER, "2", "12")
                            .at("5", null)
                            .at("9", "Two of them in the marketplace.")
                            .at("13", null)),
            objective("Build a sales process that repeats", GROWTH, "alan", AT_RISK, null)
                    .with(keyResult("Shorten the median sales cycle (days)", NUMBER, "64", "40")
                            .at("58", null)
                            .at("51.5", "Security reviews take longest."))
                    .with(keyResult("Win rate of qualified deals", PERCENTAGE, "18", "26")
                            .at("20.5", null)
                            .at("24", "Best quarter so far.")),
            objective("Bring every team into one planning rhythm", null, "ada", COMPLETED, null)
                    .with(keyResult("Teams that check in every week", NUMBER, "0", "3")
                            .at("1", null)
                            .at("3", "All teams are on board.")));

    static final List<Objective> ACTIVE_OBJECTIVES = List.of(
            objective(REVENUE, null, "ada", ON_TRACK, "Growth that pays for itself: expansion before acquisition.")
                    .with(keyResult("Annual recurring revenue (EUR)", CURRENCY, "1200000", "1500000")
                            .at("1208000", null)
                            .at("1236500", "Two enterprise renewals.")
                            .at("1262000", null)
                            .at("1291250.50", "Expansion ahead of plan."))
                    .with(keyResult("Net revenue retention", PERCENTAGE, "104", "112")
                            .at("104.25", null)
                            .at("105.5", null)
                            .at("106.75", null)
                            .at("107.25", "Churn is down in the mid-market.")),
            objective(FIRST_WEEK, GROWTH, "katherine", ON_TRACK, "Whoever succeeds in week one stays.")
                    .with(keyResult("Activation in the first week", PERCENTAGE, "42", "60")
                            .at("43", null)
                            .at("45", null)
                            .at("47.5", null)
                            .at("49.5", "New checklist in the product.")
                            .at("52", "The checklist reaches everyone now."))
                    .with(keyResult("Median hours to first value", NUMBER, "72", "24")
                            .at("68", null)
                            .at("61", null)
                            .at("55.5", null)
                            .at("48", "Import no longer needs support."))
                    .with(keyResult("Launch the guided setup on every plan", BOOLEAN, "0", "1")
                            .at("0", "Beta with twelve customers.")),
            objective(RELIABILITY, PLATFORM, "grace", AT_RISK, null)
                    .with(keyResult("Availability of the API", PERCENTAGE, "99.8", "99.95")
                            .at("99.83", null)
                            .at("99.86", "One incident less would have made it."))
                    .with(keyResult("Severe incidents per month", NUMBER, "4", "1")
                            .at("4", "Two of four were the same root cause.")
                            .at("3", null))
                    .with(keyResult("p95 latency of reads (ms)", NUMBER, "480", "250")
                            .at("460", null)
                            .at("430", null)
                            .at("445", "The new index was not used yet.")
                            .at("395", "Covering indexes shipped.")
                            .at("340", null)),
            objective(SUPPORT, SUCCESS, "margaret", BEHIND, "Fast answers, and fewer reasons to ask.")
                    .with(keyResult("Hours to first response", NUMBER, "9", "2")
                            .at("9", null)
                            .at("8.5", null)
                            .at("8", null)
                            .at("7.75", "Weekends are still uncovered."))
                    .with(keyResult("Customer satisfaction", PERCENTAGE, "86", "93")
                            .at("85.5", "The outage shows."))
                    .with(keyResult("Open a public status page", BOOLEAN, "0", "1")),
            objective("Make releases a non-event", PLATFORM, "alan", COMPLETED, "Small, often, and easy to take back.")
                    .with(keyResult("Releases per week", NUMBER, "2", "10")
                            .at("3", null)
                            .at("6", "The test suite is twice as fast.")
                            .at("9", null)
                            .at("11", "Every merge goes out now."))
                    .with(keyResult("Every service rolls back by itself", BOOLEAN, "0", "1")
                            .at("0", "Four of nine services.")
                            .at("0", "Seven of nine.")
                            .at("1", "The last two followed today.")),
            objective("Teach customers to help themselves", SUCCESS, "katherine", ON_TRACK, null)
                    .with(keyResult("Questions answered by the help centre", PERCENTAGE, "31", "50")
                            .at("33", null)
                            .at("36.5", "Search understands typing errors.")
                            .at("41", null)
                            .at("43.5", null))
                    .with(keyResult("Articles without an open complaint", NUMBER, "120", "200")
                            .at("138", null)
                            .at("150", null)
                            .at("171", null)),
            objective("Understand why trials end without a purchase", GROWTH, "alan", NOT_STARTED, null)
                    .with(keyResult("Interviews with lost trials", NUMBER, "0", "25")));

    static final List<Objective> PLANNED_OBJECTIVES = List.of(
            objective("Open the European data region", PLATFORM, "grace", NOT_STARTED, "Required by three tenders.")
                    .with(keyResult("Run the region in production", BOOLEAN, "0", "1"))
                    .with(keyResult("Customers migrated", NUMBER, "0", "20")),
            objective("Make renewals effortless", SUCCESS, "margaret", NOT_STARTED, null));

    static final List<Alignment> ALIGNMENTS = List.of(
            new Alignment(REVENUE, FIRST_WEEK, SUPPORTS),
            new Alignment(REVENUE, SUPPORT, CONTRIBUTES_TO),
            new Alignment(SUPPORT, RELIABILITY, SUPPORTS),
            new Alignment(FIRST_WEEK, PUBLIC_API, CONTRIBUTES_TO));

    private DemoContent() {}

    record DemoUser(String login, String name, Role role) {
        String email() {
            return login + "@demo.example";
        }
    }

    record Team(String name, String lead, List<String> members) {}

    record Alignment(String parent, String child, AlignmentType type) {}

    /** @param owner the login of the owner, who also owns the key results and wrote the check-ins */
    record Objective(
            String title,
            @Nullable String team,
            String owner,
            ObjectiveStatus status,
            @Nullable String description,
            List<KeyResult> keyResults) {
        Objective with(KeyResult keyResult) {
            return new Objective(title, team, owner, status, description, append(keyResults, keyResult));
        }
    }

    record KeyResult(String title, MetricType metric, BigDecimal start, BigDecimal target, List<CheckIn> checkIns) {
        KeyResult at(String value, @Nullable String note) {
            return new KeyResult(
                    title, metric, start, target, append(checkIns, new CheckIn(new BigDecimal(value), note)));
        }

        BigDecimal progress() {
            var current = checkIns.isEmpty() ? start : checkIns.getLast().value();
            return Progress.between(start, current, target);
        }
    }

    record CheckIn(BigDecimal value, @Nullable String note) {}

    private static Objective objective(
            String title, @Nullable String team, String owner, ObjectiveStatus status, @Nullable String description) {
        return new Objective(title, team, owner, status, description, List.of());
    }

    private static KeyResult keyResult(String title, MetricType metric, String start, String target) {
        return new KeyResult(title, metric, new BigDecimal(start), new BigDecimal(target), List.of());
    }

    private static <T> List<T> append(List<T> list, T item) {
        var longer = new ArrayList<>(list);
        longer.add(item);
        return List.copyOf(longer);
    }
}
