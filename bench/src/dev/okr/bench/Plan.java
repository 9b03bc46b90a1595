package dev.okr.bench;

import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The plan of an executed statement, as auto_explain logs it.
 *
 * @param plan the plan without the planner's estimates
 */
record Plan(String sql, String plan, double millis) {
    private static final String HEAD = " ms  plan:\n";
    private static final String QUERY = "Query Text: ";
    private static final Pattern COSTS = Pattern.compile(" *\\(cost=[^)]*\\)");
    private static final Pattern DURATION = Pattern.compile("duration: ([0-9.]+) ms");
    private static final Pattern BUFFERS = Pattern.compile("Buffers: shared ([^\\n]*)");
    private static final Pattern BLOCKS = Pattern.compile("(hit|read)=(\\d+)");
    private static final Pattern SEQUENTIAL = Pattern.compile("Seq Scan on (\\w+)");

    static boolean isPlan(String message) {
        return message.contains(HEAD) && message.contains("(cost=");
    }

    static Plan read(String message) {
        var duration = DURATION.matcher(message);
        duration.find();
        var text = message.substring(message.indexOf(HEAD) + HEAD.length());
        int plan = text.lastIndexOf('\n', text.indexOf("(cost=")) + 1;
        return new Plan(
                text.substring(QUERY.length(), plan).strip(),
                COSTS.matcher(text.substring(plan)).replaceAll("").stripTrailing(),
                Double.parseDouble(duration.group(1)));
    }

    /** The number of buffers that the whole statement used, from the first line that contains them. */
    long buffers() {
        var line = BUFFERS.matcher(plan);
        return line.find()
                ? BLOCKS.matcher(line.group(1)).results().mapToLong(each -> Long.parseLong(each.group(2))).sum()
                : 0;
    }

    TreeSet<String> sequentialScans() {
        var tables = new TreeSet<String>();
        SEQUENTIAL.matcher(plan).results().forEach(each -> tables.add(each.group(1)));
        return tables;
    }
}
