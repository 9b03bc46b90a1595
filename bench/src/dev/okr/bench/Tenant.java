package dev.okr.bench;

import dev.okr.access.Token;
import dev.okr.platform.ids.UuidV7;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.function.IntSupplier;

/**
 * One organisation of the data. All values are computed from its number. So several streams of rows are consistent
 * without coordination, and the benchmark knows the data without queries.
 */
final class Tenant {
    static final int USERS = 50;
    static final int TEAMS = 20;
    static final int KEY_RESULTS_PER_OBJECTIVE = 3;
    static final int CHECK_INS_PER_OBJECTIVE = 5;

    /** The kinds of ids, so that no two ids are equal. */
    enum Kind {
        ORGANIZATION,
        USER,
        TEAM,
        CYCLE,
        API_KEY,
        OBJECTIVE,
        KEY_RESULT,
        CHECK_IN
    }

    static final Instant START = Instant.parse("2024-01-01T00:00:00Z");

    private static final long SEED = 20_261_121;
    private static final long VARIANT = 0x8000_0000_0000_0000L;
    private static final int DIGITS = 62;

    private static final int[] CHECK_INS = {1, 2, 2};
    private static final int[] CHECK_INS_BEFORE = {0, 1, 3};

    final int number;
    final UUID id;
    private final int cycles;
    private final UUID[] users = new UUID[USERS];
    private final UUID[] teams = new UUID[TEAMS];
    private final UUID[] cycleIds;

    Tenant(int number, int cycles) {
        this.number = number;
        this.cycles = cycles;
        this.id = organizationId(number);
        for (int i = 0; i < USERS; i++) {
            users[i] = id(Kind.USER, i, START);
        }
        for (int i = 0; i < TEAMS; i++) {
            teams[i] = id(Kind.TEAM, i, START);
        }
        cycleIds = new UUID[cycles];
        for (int i = 0; i < cycles; i++) {
            cycleIds[i] = id(Kind.CYCLE, i, START.plus(i, ChronoUnit.MINUTES));
        }
    }

    static UUID organizationId(int number) {
        return id(number, Kind.ORGANIZATION, 0, START);
    }

    /** The API key of the first user, an admin. */
    static String token(int number) {
        var state = new long[] {mix(SEED ^ number)};
        IntSupplier digit = () -> Math.floorMod(state[0] = mix(state[0]), DIGITS);
        return Token.generate(digit);
    }

    UUID user(long chosen) {
        return users[Math.floorMod(chosen, USERS)];
    }

    UUID team(long chosen) {
        return teams[Math.floorMod(chosen, TEAMS)];
    }

    /** The cycle of the objective with this number. Numbers below the number of cycles select each cycle once. */
    UUID cycle(int objective) {
        return cycleIds[objective % cycles];
    }

    UUID apiKey() {
        return id(Kind.API_KEY, 0, START);
    }

    static Instant objectiveMoment(int objective) {
        return START.plus(1, ChronoUnit.DAYS).plusSeconds(60L * objective);
    }

    UUID objective(int objective) {
        return id(Kind.OBJECTIVE, objective, objectiveMoment(objective));
    }

    static Instant keyResultMoment(int objective, int nth) {
        return objectiveMoment(objective).plusSeconds(nth + 1L);
    }

    UUID keyResult(int objective, int nth) {
        return id(
                Kind.KEY_RESULT,
                (long) objective * KEY_RESULTS_PER_OBJECTIVE + nth,
                keyResultMoment(objective, nth));
    }

    static int checkIns(int nthKeyResult) {
        return CHECK_INS[nthKeyResult];
    }

    static Instant checkInMoment(int objective, int nthKeyResult, int nth) {
        return keyResultMoment(objective, nthKeyResult).plus(7L * (nth + 1), ChronoUnit.DAYS);
    }

    UUID checkIn(int objective, int nthKeyResult, int nth) {
        long count = (long) objective * CHECK_INS_PER_OBJECTIVE + CHECK_INS_BEFORE[nthKeyResult] + nth;
        return id(Kind.CHECK_IN, count, checkInMoment(objective, nthKeyResult, nth));
    }

    /** A pseudo-random number from a fixed seed. */
    long random(Kind kind, long count) {
        return random(number, kind, count);
    }

    private static long random(int number, Kind kind, long count) {
        return mix(mix(mix(SEED + number) + kind.ordinal()) + count);
    }

    private UUID id(Kind kind, long count, Instant moment) {
        return id(number, kind, count, moment);
    }

    private static UUID id(int number, Kind kind, long count, Instant moment) {
        return new UUID(
                UuidV7.least(moment).getMostSignificantBits(), VARIANT | mix(random(number, kind, count)) >>> 2);
    }

    /** The finalizer of SplitMix64. */
    private static long mix(long value) {
        long mixed = value + 0x9E37_79B9_7F4A_7C15L;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D0_49BB_1331_11EBL;
        return mixed ^ (mixed >>> 31);
    }
}
