/** Export and import of all data of an organisation, as one JSON object a line. */
@NullMarked
package dev.okr.operations.moving;

import org.jspecify.annotations.NullMarked;
