/** The settings console. People sign in with the OpenID Connect provider of their organisation. */
@NullMarked
package dev.okr.console;

import org.jspecify.annotations.NullMarked;
