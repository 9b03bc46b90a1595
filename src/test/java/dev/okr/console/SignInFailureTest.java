package dev.okr.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jose4j.jwt.consumer.ErrorCodeValidator;
import org.jose4j.jwt.consumer.InvalidJwtException;
import org.junit.jupiter.api.Test;

class SignInFailureTest {

    @Test
    void a_token_with_a_wrong_signature_is_not_logged() {
        var error = new ErrorCodeValidator.Error(
                9, "Invalid JWS Signature: JsonWebSignature{\"alg\":\"RS256\"}->eyJhbGciOi.eyJlbWFpbCI6.c2ln");
        var rejected = new IllegalStateException(new InvalidJwtException("", List.of(error), null));
        assertThat(SignInFailure.reason(rejected))
                .contains("Invalid JWS Signature")
                .doesNotContain("eyJ");
    }
}
