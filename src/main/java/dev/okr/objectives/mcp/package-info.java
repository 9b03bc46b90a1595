/** The tools for assistants and scripts (Model Context Protocol). They call the methods of the resources. */
@NullMarked
package dev.okr.objectives.mcp;

import org.jspecify.annotations.NullMarked;
