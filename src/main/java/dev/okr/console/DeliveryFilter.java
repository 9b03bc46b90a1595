package dev.okr.console;

/**
 * A link to some of a webhook's deliveries.
 *
 * @param current whether they are what the page shows
 */
public record DeliveryFilter(String label, String address, boolean current) {}
