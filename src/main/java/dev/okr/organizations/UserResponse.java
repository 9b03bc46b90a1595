package dev.okr.organizations;

import dev.okr.platform.ids.IdKind;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A user as the API shows one. */
@Schema(name = "User", description = "A person who has or had access to the organisation.")
public record UserResponse(
        @Schema(description = "The user's id.", examples = "usr_01k9m2x7q4e8rvb3t5w6y0zacd")
        String id,

        @Schema(description = "The user's full name.", examples = "Ada Lovelace")
        String name,

        @Schema(description = "The address that identifies the user.", format = "email", examples = "ada@demo.example")
        String email,

        @Schema(description = "What the user may do in the organisation.", examples = "admin")
        Role role,

        @Schema(
                description =
                        "Whether the user has access. A deactivated user keeps objectives, key results and teams.",
                examples = "true")
        boolean active,

        @Schema(description = "When the user was created.", examples = "2026-01-05T09:00:00Z")
        Instant createdAt,

        @Schema(description = "When the user last changed.", examples = "2026-01-05T09:00:00Z")
        Instant updatedAt) {

    public static UserResponse of(UserProfile user) {
        return new UserResponse(
                IdKind.USER.format(user.id()),
                user.name(),
                user.email(),
                user.role(),
                user.isActive(),
                user.createdAt(),
                user.updatedAt());
    }
}
