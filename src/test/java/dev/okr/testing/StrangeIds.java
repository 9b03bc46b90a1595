package dev.okr.testing;

import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import java.time.Instant;
import java.util.List;

/** Ids without a resource. */
public final class StrangeIds {
    private StrangeIds() {}

    /**
     * Unknown ids, ids of another kind and malformed ids, escaped for a path.
     *
     * @param known the id of an existing resource
     */
    public static List<String> like(IdKind kind, String known) {
        var suffix = known.substring(known.indexOf('_') + 1);
        var other = kind == IdKind.OBJECTIVE ? IdKind.CYCLE : IdKind.OBJECTIVE;
        return List.of(
                kind.format(UuidV7.at(Instant.now())),
                other.prefix() + '_' + suffix,
                "xyz_" + suffix,
                suffix,
                kind.prefix() + suffix,
                kind.prefix() + '-' + suffix,
                kind.prefix() + '_',
                kind.prefix() + "__" + suffix,
                kind.prefix() + '_' + suffix.substring(1),
                kind.prefix() + '_' + suffix + '0',
                kind.prefix() + "_8" + suffix.substring(1),
                kind.prefix() + "_u" + suffix.substring(1),
                kind.prefix() + '_' + suffix.substring(0, 25) + 'l',
                kind.prefix() + '_' + suffix.substring(0, 25) + "%C3%A9",
                kind.prefix().toUpperCase(java.util.Locale.ROOT) + '_' + suffix,
                kind.prefix() + '_' + suffix.toUpperCase(java.util.Locale.ROOT),
                "%20" + known,
                known + "%20",
                known + "%00",
                known + "%2F",
                "%F0%9F%8E%AF",
                "'%20OR%201=1--",
                "null",
                "0",
                "x".repeat(2000));
    }
}
