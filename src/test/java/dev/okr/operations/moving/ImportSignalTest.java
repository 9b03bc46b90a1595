package dev.okr.operations.moving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.events.OutboxListener;
import dev.okr.testing.HttpTest;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Whether the poller of webhooks learns at once that an import has written events. */
@QuarkusTest
class ImportSignalTest extends HttpTest {
    private static final String FILE = Moving.file(Moving.CYCLE);

    @Inject
    Signals signals;

    /** The signals of all organisations. */
    @ApplicationScoped
    static class Signals implements OutboxListener {
        private final List<UUID> organizations = new CopyOnWriteArrayList<>();

        @Override
        public void committed(Set<UUID> committed) {
            organizations.addAll(committed);
        }

        long of(UUID organization) {
            return organizations.stream().filter(organization::equals).count();
        }
    }

    @Test
    void an_import_that_notifies_webhooks_signals_its_commit() {
        long before = signals.of(acme.id());
        Moving.succeeds(Moving.run(admin, "?notify=true&dry_run=true", FILE), 1, 0, 0);
        assertThat(signals.of(acme.id())).isEqualTo(before);
        Moving.succeeds(Moving.run(admin, "?notify=true", FILE), 1, 0, 0);
        await(() -> signals.of(acme.id()) == before + 1, () -> "the signal");
    }
}
