package dev.okr.client;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import dev.okr.client.model.PageMeta;
import java.util.List;

/** One page of a list. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Page<T>(List<T> data, PageMeta meta) {}
