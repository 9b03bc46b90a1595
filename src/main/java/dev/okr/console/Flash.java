package dev.okr.console;

import dev.okr.platform.http.EnumNames;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.ext.web.RoutingContext;
import java.util.Optional;

/**
 * What the page after a form says of it. It travels in a cookie by its name alone, so that nobody can put other words
 * there.
 */
public enum Flash {
    KEY_REVOKED("The API key is revoked. Within five seconds, nobody can use it any more."),
    PERSON_INVITED(
            "Done. No mail is sent: tell the person to sign in with this address through your company's provider,"
                    + " which works from now on."),
    ROLE_CHANGED("The role is changed. API keys follow within five seconds."),
    PERSON_DEACTIVATED("The person has no access any more. Their API keys are refused within five seconds."),
    PERSON_REACTIVATED("The person has access again, and their API keys work again."),
    TEAM_CREATED("The team is created."),
    TEAM_RENAMED("The team is renamed."),
    MEMBER_ADDED("The person is in the team."),
    MEMBER_CHANGED("The person's place in the team is changed."),
    MEMBER_REMOVED("The person is not in the team any more."),
    PING_QUEUED("A ping is on its way. Reload this page to see what came of it."),
    REDELIVERY_QUEUED("The delivery is attempted again. Reload this page to see what came of it.");

    private static final String COOKIE = "okr_flash";
    private static final long SECONDS = 60;

    private final String text;

    Flash(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }

    /** Lets the next page say it. */
    void leave(RoutingContext context, boolean secure) {
        context.response().addCookie(cookie(EnumNames.format(this), secure).setMaxAge(SECONDS));
    }

    /** What this page has to say; the next one does not say it again. */
    static Optional<Flash> take(RoutingContext context, boolean secure) {
        var cookie = context.request().getCookie(COOKIE);
        if (cookie == null || cookie.getValue().isEmpty()) {
            return Optional.empty();
        }
        context.response().addCookie(cookie("", secure).setMaxAge(0));
        return EnumNames.parse(Flash.class, cookie.getValue());
    }

    private static Cookie cookie(String value, boolean secure) {
        return Cookie.cookie(COOKIE, value)
                .setPath(ConsolePath.ROOT)
                .setHttpOnly(true)
                .setSecure(secure)
                .setSameSite(CookieSameSite.LAX);
    }
}
