package dev.okr.console;

/**
 * A link that filters the deliveries of a webhook.
 *
 * @param current whether the page shows this filter
 */
public record DeliveryFilter(String label, String address, boolean current) {}
