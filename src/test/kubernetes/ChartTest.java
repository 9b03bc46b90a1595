import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.marcnuri.helm.Helm;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1NetworkPolicy;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServiceAccount;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscaler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/**
 * Tests the Helm chart, rendered by Helm. The result matches the published schemas of Kubernetes. The plain manifests
 * are the result with default values, and {@code -Dokr.update-manifests=true} writes them.
 */
class ChartTest {
    private static final Path ROOT = Path.of(System.getProperty("root")).normalize();
    private static final Path CHART = ROOT.resolve("src/main/helm/okr-service");
    private static final Path MANIFESTS = ROOT.resolve("src/main/kubernetes");
    private static final String OPTIONAL = "servicemonitor.yaml";
    private static final Pattern SOURCE = Pattern.compile("^# Source: okr-service/templates/(\\S+)$");
    private static final String NOTE = "# Generated from the Helm chart by src/test/kubernetes. Change the chart instead.\n";

    private interface Schema {
        void validate(JsonElement manifest) throws IOException;
    }

    private record Kind(Schema schema, Class<?> type) {}

    private static final Map<String, Kind> KINDS = Map.of(
            "apps/v1 Deployment", new Kind(V1Deployment::validateJsonElement, V1Deployment.class),
            "autoscaling/v2 HorizontalPodAutoscaler",
                    new Kind(V2HorizontalPodAutoscaler::validateJsonElement, V2HorizontalPodAutoscaler.class),
            "networking.k8s.io/v1 NetworkPolicy",
                    new Kind(V1NetworkPolicy::validateJsonElement, V1NetworkPolicy.class),
            "policy/v1 PodDisruptionBudget",
                    new Kind(V1PodDisruptionBudget::validateJsonElement, V1PodDisruptionBudget.class),
            "v1 Service", new Kind(V1Service::validateJsonElement, V1Service.class),
            "v1 ServiceAccount", new Kind(V1ServiceAccount::validateJsonElement, V1ServiceAccount.class),
            "v1 Secret", new Kind(V1Secret::validateJsonElement, V1Secret.class));

    @Test
    void helm_has_nothing_to_say_against_it() {
        var result = new Helm(CHART).lint().strict().call();

        assertThat(result.isFailed()).as("%s", result.getMessages()).isFalse();
    }

    @Test
    void the_plain_manifests_are_the_chart_s() throws IOException {
        var rendered = render(Map.of("serviceMonitor.enabled", true));
        if (Boolean.getBoolean("okr.update-manifests")) {
            for (var manifest : rendered.entrySet()) {
                Files.writeString(file(manifest.getKey()), NOTE + manifest.getValue());
            }
        }

        for (var manifest : rendered.entrySet()) {
            assertThat(file(manifest.getKey())).hasContent(NOTE + manifest.getValue());
        }
        assertThat(listed())
                .containsExactlyInAnyOrderElementsOf(
                        rendered.keySet().stream().filter(name -> !name.equals(OPTIONAL)).toList());
    }

    @Test
    void what_it_makes_of_any_values_is_what_kubernetes_knows() throws IOException {
        valid(Map.of());
        valid(Map.of(
                "autoscaling.enabled", false,
                "migration.enabled", false,
                "podDisruptionBudget.enabled", false,
                "networkPolicy.enabled", false,
                "organizationFile.secret", "okr-organizations",
                "signIn.authServerUrl", "https://id.example.com/realms/acme",
                "image.digest", "sha256:" + "0".repeat(64),
                "env.OKR_WEBHOOKS_NOTIFICATIONS", "\"false\""));
        valid(Map.of(
                "networkPolicy.databaseTo[0].ipBlock.cidr", "10.1.2.3/32",
                "networkPolicy.from[0].namespaceSelector.matchLabels.team", "edge",
                "networkPolicy.extraEgress[0].ports[0].port", 3128,
                "networkPolicy.publicPorts", "null",
                "imagePullSecrets[0].name", "registry",
                "podAnnotations.owner", "okr",
                "nodeSelector.disk", "ssd",
                "tolerations[0].operator", "Exists",
                "podDisruptionBudget.maxUnavailable", "50%"));
    }

    @Test
    void no_replica_runs_with_more_than_it_needs() throws IOException {
        var pod = render(Map.of()).get("deployment.yaml");

        assertThat(pod).contains("runAsNonRoot: true", "type: RuntimeDefault", "automountServiceAccountToken: false");
        assertThat(pod.split("readOnlyRootFilesystem: true", -1)).as("migration and service").hasSize(3);
        assertThat(pod.split("- ALL", -1)).hasSize(3);
        assertThat(pod).doesNotContain("privileged", "hostNetwork", "OKR_DEMO", "OKR_EMBEDDED");
    }

    @Test
    void values_that_mean_nothing_are_refused() {
        refused("replica", 3);
        refused("database.url", "postgres://localhost/okr");
        refused("encryption.secret", "");
        refused("image.digest", "sha256:abc");
        refused("networkPolicy.publicPorts[0]", 70000);
        refused("env.okr-demo", "\"true\"");
        refused("serviceMonitor.interval", "often");
    }

    /** Shows that the schemas detect the errors that the tests above look for. */
    @Test
    void a_field_that_kubernetes_does_not_know_would_be_found() throws IOException {
        var deployment = render(Map.of()).get("deployment.yaml");

        assertThatThrownBy(() -> validate(deployment.replace("periodSeconds: 2", "periodSecond: 2")))
                .hasMessageContaining("periodSecond");
        assertThatThrownBy(() -> validate(deployment.replace("terminationGracePeriodSeconds: 35",
                        "terminationGracePeriodSeconds: soon")))
                .isNotNull();
        assertThatThrownBy(() -> validate(deployment.replace("  selector:\n    matchLabels:", "  selectr:\n    x:")))
                .isNotNull();
    }

    private static void valid(Map<String, Object> values) throws IOException {
        for (var manifest : render(values).entrySet()) {
            if (!manifest.getKey().equals(OPTIONAL)) {
                validate(manifest.getValue());
            }
        }
    }

    private static void refused(String name, Object value) {
        assertThatThrownBy(() -> render(Map.of(name, value)))
                .as(name)
                .hasMessageContaining("values don't meet the specifications of the schema");
    }

    private static void validate(String manifest) throws IOException {
        Map<String, Object> content = new Yaml().load(manifest);
        var kind = KINDS.get(content.get("apiVersion") + " " + content.get("kind"));
        assertThat(kind).as("%s %s", content.get("apiVersion"), content.get("kind")).isNotNull();
        var json = new Gson().toJsonTree(content);
        kind.schema().validate(json);
        assertThat(JSON.getGson().fromJson(json, kind.type())).isNotNull();
    }

    /** The rendered manifests, by the names of their templates. */
    private static Map<String, String> render(Map<String, Object> values) {
        var template = new Helm(CHART).template().withName("okr-service").withKubeVersion("1.32.0");
        values.forEach(template::set);
        var manifests = new TreeMap<String, StringBuilder>();
        var current = new StringBuilder();
        for (var line : template.call().lines().toList()) {
            var source = SOURCE.matcher(line);
            if (source.matches()) {
                current = manifests.computeIfAbsent(source.group(1), name -> new StringBuilder());
            } else if (!line.equals("---")) {
                current.append(line.stripTrailing()).append('\n');
            }
        }
        var result = new LinkedHashMap<String, String>();
        manifests.forEach((name, text) -> result.put(name, text.toString().strip() + "\n"));
        return result;
    }

    private static Path file(String name) {
        return name.equals(OPTIONAL) ? MANIFESTS.resolve("optional").resolve(name) : MANIFESTS.resolve(name);
    }

    private static List<String> listed() throws IOException {
        Map<String, Object> kustomization = new Yaml().load(Files.readString(MANIFESTS.resolve("kustomization.yaml")));
        var names = new ArrayList<String>();
        for (var name : (List<?>) kustomization.get("resources")) {
            names.add(String.valueOf(name));
        }
        return names;
    }
}
