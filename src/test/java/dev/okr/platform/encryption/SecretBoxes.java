package dev.okr.platform.encryption;

import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** Creates secret boxes for tests of other packages. */
public final class SecretBoxes {
    private static final int KEY_BYTES = 32;

    private SecretBoxes() {}

    /** The same number gives the same key. */
    public static String key(int number) {
        var bytes = new byte[KEY_BYTES];
        bytes[0] = (byte) number;
        return Base64.getEncoder().encodeToString(bytes);
    }

    public static SecretBox of(String key, String... previousKeys) {
        return new SecretBox(Optional.of(key), Optional.of(List.of(previousKeys)));
    }
}
