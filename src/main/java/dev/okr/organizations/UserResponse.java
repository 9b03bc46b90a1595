package dev.okr.organizations;

import dev.okr.platform.ids.IdKind;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A user in a list. */
@Schema(name = "User", description = "A person who has or had access to the organisation.")
public record UserResponse(
        @Schema(description = "The user's id.", examples = "usr_01k9m2x7q4e8rvb3t5w6y0zacd")
        String id,

        @Schema(description = "The user's full name.", examples = "Ada Lovelace")
        String name,

        @Schema(description = "The address that identifies the user.", format = "email", examples = "ada@demo.example")
        String email,

        @Schema(description = "What the user may do in the organisation.", examples = "admin")
        Role role) {

    public static UserResponse of(UserProfile user) {
        return new UserResponse(IdKind.USER.format(user.id()), user.name(), user.email(), user.role());
    }
}
