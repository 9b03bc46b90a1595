package dev.okr.organizations;

import dev.okr.platform.http.BodyReader;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The request to create a user. */
@Schema(name = "CreateUser", description = "A user to create. No invitation is sent.")
public record CreateUser(
        @Schema(
                description = "The address that identifies the user. No other user of the service has it, in any case.",
                maxLength = EmailAddress.MAX_CHARACTERS)
        String email,

        String name,
        Role role) {

    static CreateUser read(BodyReader body) {
        var email = body.requiredText("email", EmailAddress::error);
        var name = body.requiredTitle("name");
        var role = body.requiredConstant("role", Role.class);
        body.verify();
        return new CreateUser(email, name, role);
    }
}
