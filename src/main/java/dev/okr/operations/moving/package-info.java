/** Export and import of all data of an organisation, with one JSON object per line. */
@NullMarked
package dev.okr.operations.moving;

import org.jspecify.annotations.NullMarked;
