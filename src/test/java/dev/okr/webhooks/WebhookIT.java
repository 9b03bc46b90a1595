package dev.okr.webhooks;

import io.quarkus.test.junit.QuarkusIntegrationTest;

/** The same tests against the packaged application. */
@QuarkusIntegrationTest
class WebhookIT extends WebhookTest {}
