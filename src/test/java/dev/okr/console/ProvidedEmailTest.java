package dev.okr.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.oidc.UserInfo;
import io.quarkus.oidc.runtime.OidcJwtCallerPrincipal;
import io.quarkus.security.credential.TokenCredential;
import org.eclipse.microprofile.jwt.JsonWebToken;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.consumer.InvalidJwtException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProvidedEmailTest {
    private static final ProvidedEmail VERIFIED = new ProvidedEmail("ada@acme.test", true);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "true | true",
                "\"true\" | true",
                "false | false",
                "\"false\" | false",
                "null | false",
                "1 | false",
                "[true] | false"
            })
    void an_address_is_verified_only_if_the_provider_says_so(String claim, boolean verified) throws Exception {
        var email = new ProvidedEmail("ada@acme.test", verified);
        var claims = "\"email\": \"ada@acme.test\", \"email_verified\": " + claim;
        assertThat(ProvidedEmail.of(token(claims), null)).contains(email);
        assertThat(ProvidedEmail.of(token("\"x\": 1"), userInfo("ada", claims))).contains(email);
    }

    @Test
    void userinfo_provides_claims_that_the_token_lacks() throws Exception {
        var verified = userInfo("ada", "\"email\": \"ada@acme.test\", \"email_verified\": true");
        assertThat(ProvidedEmail.of(token("\"x\": 1"), verified)).contains(VERIFIED);
        assertThat(ProvidedEmail.of(token("\"email\": \"other@acme.test\""), verified))
                .contains(VERIFIED);
        assertThat(ProvidedEmail.of(token("\"email\": \"other@acme.test\", \"email_verified\": false"), verified))
                .contains(new ProvidedEmail("other@acme.test", false));
    }

    @Test
    void one_source_cannot_verify_the_address_of_the_other() throws Exception {
        assertThat(ProvidedEmail.of(
                        token("\"email\": \"boss@acme.test\""), userInfo("ada", "\"email_verified\": true")))
                .contains(new ProvidedEmail("boss@acme.test", false));
        assertThat(ProvidedEmail.of(
                        token("\"email_verified\": true"), userInfo("ada", "\"email\": \"boss@acme.test\"")))
                .contains(new ProvidedEmail("boss@acme.test", false));
    }

    @Test
    void userinfo_of_another_subject_is_ignored() throws Exception {
        var others = userInfo("grace", "\"email\": \"grace@acme.test\", \"email_verified\": true");
        assertThat(ProvidedEmail.of(token("\"x\": 1"), others)).isEmpty();
    }

    @Test
    void an_email_claim_that_is_not_text_is_ignored() throws Exception {
        assertThat(ProvidedEmail.of(token("\"email\": 7, \"email_verified\": true"), null))
                .isEmpty();
    }

    private static JsonWebToken token(String claims) throws InvalidJwtException {
        var json = "{\"sub\": \"ada\", " + claims + "}";
        return new OidcJwtCallerPrincipal(JwtClaims.parse(json), new TokenCredential("", "id_token"));
    }

    private static UserInfo userInfo(String subject, String claims) {
        return new UserInfo("{\"sub\": \"" + subject + "\", " + claims + "}");
    }
}
