package dev.okr.console.webhooks;

import io.quarkus.test.junit.QuarkusIntegrationTest;

@QuarkusIntegrationTest
class WebhookFormsIT extends WebhookFormsTest {}
