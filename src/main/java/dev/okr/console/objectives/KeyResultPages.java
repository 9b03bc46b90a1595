package dev.okr.console.objectives;

/** The addresses of key results. */
final class KeyResultPages {
    static final String PATH = "/settings/key-results";

    private KeyResultPages() {}
}
