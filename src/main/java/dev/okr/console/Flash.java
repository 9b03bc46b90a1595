package dev.okr.console;

import dev.okr.platform.http.EnumNames;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.ext.web.RoutingContext;
import java.util.Optional;

/**
 * The message that the next page shows after a form was processed. A cookie carries its name, so that nobody can inject
 * other text.
 */
public enum Flash {
    CHECK_IN_SAVED("The check-in is saved."),
    OBJECTIVE_CREATED("The objective is created."),
    OBJECTIVE_CHANGED("The objective is changed."),
    OBJECTIVE_DELETED("The objective is deleted."),
    OBJECTIVE_RESTORED("The objective is restored with its key results and check-ins."),
    KEY_RESULT_CREATED("The key result is added."),
    KEY_RESULT_CHANGED("The key result is changed."),
    KEY_RESULT_DELETED("The key result is deleted."),
    CHECK_IN_CHANGED("The check-in is changed."),
    CHECK_IN_DELETED("The check-in is deleted."),
    ALIGNED("The objectives are aligned."),
    ALIGNMENT_CHANGED("The weight is changed."),
    ALIGNMENT_DELETED("The alignment is removed."),
    CYCLE_CREATED("The cycle is created."),
    CYCLE_CHANGED("The cycle is changed."),
    CYCLE_CLOSED("The cycle is closed. Nothing in it changes any more."),
    CYCLE_REOPENED("The cycle is open again."),
    SCORE_SAVED("The review is saved."),
    CARRIED_OVER("The objectives are carried over. Those that were carried over before stay as they are."),
    KEY_REVOKED("The API key is revoked. Requests with it are rejected within five seconds."),
    PERSON_INVITED("The person is added. No invitation is sent. Ask them to sign in with this email address through"
            + " your company's provider."),
    ROLE_CHANGED("The role is changed. It applies to API keys within five seconds."),
    PERSON_DEACTIVATED("The person is deactivated. Their API keys are rejected within five seconds."),
    PERSON_REACTIVATED("The person is reactivated. Their API keys work again."),
    TEAM_CREATED("The team is created."),
    TEAM_RENAMED("The team is renamed."),
    MEMBER_ADDED("The person is added to the team."),
    MEMBER_CHANGED("The person's role in the team is changed."),
    MEMBER_REMOVED("The person is removed from the team."),
    PING_QUEUED("A ping is queued. Reload this page to see the outcome."),
    WEBHOOK_CHANGED("The webhook is changed."),
    WEBHOOK_PAUSED(
            "The webhook is paused. Its pending deliveries are cancelled. After you resume it, you can recover the"
                    + " missed events."),
    WEBHOOK_RESUMED("The webhook is active again. Events from now on are sent. You can recover earlier ones."),
    WEBHOOK_DELETED("The webhook is deleted. Nothing more is sent."),
    RECOVERY_STARTED("The recovery has started. Missed events appear below within a minute."),
    REDELIVERY_QUEUED("The delivery is queued again. Reload this page to see the outcome.");

    private static final String COOKIE = "okr_flash";
    private static final long MAX_AGE_SECONDS = 60;

    private final String text;

    Flash(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }

    /** Stores the message for the next page. */
    void store(RoutingContext context, boolean secure) {
        context.response().addCookie(cookie(EnumNames.format(this), secure).setMaxAge(MAX_AGE_SECONDS));
    }

    /** Returns the stored message, if any, and removes it. */
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
