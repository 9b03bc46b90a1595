package dev.okr.nativeimage;

import static com.tngtech.archunit.core.domain.properties.CanBeAnnotated.Predicates.annotatedWith;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.AsyncCacheLoader;
import com.github.benmanes.caffeine.cache.CacheLoader;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.okr.testing.ObservabilityFiles;
import io.quarkus.arc.ClientProxy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Singleton;
import jakarta.ws.rs.ext.Provider;
import org.junit.jupiter.api.Test;

/** Rules for code that works on the JVM but not in a native image. */
class NativeImageTest {
    @Test
    void no_cache_has_a_loader_whose_methods_would_be_looked_up() {
        noClasses()
                .should()
                .callMethod(Caffeine.class, "build", CacheLoader.class)
                .orShould()
                .callMethod(Caffeine.class, "buildAsync", CacheLoader.class)
                .orShould()
                .callMethod(Caffeine.class, "buildAsync", AsyncCacheLoader.class)
                .because("Caffeine cannot look up the methods of a lambda in a native image, and warns")
                .check(service());
    }

    @Test
    void no_provider_has_a_singleton() {
        fields().that()
                .areDeclaredInClassesThat()
                .areAnnotatedWith(Provider.class)
                .and()
                .areDeclaredInClassesThat()
                .areNotAnnotatedWith(ApplicationScoped.class)
                .should()
                .notHaveRawType(annotatedWith(Singleton.class))
                .because("the build of a native image creates the providers, and their singletons with them")
                .check(service());
    }

    @Test
    void no_provider_unwraps_a_proxy() {
        noClasses()
                .that()
                .areAnnotatedWith(Provider.class)
                .should()
                .dependOnClassesThat()
                .areAssignableTo(ClientProxy.class)
                .because(
                        "the build of a native image creates the providers, and the beans of unwrapped proxies with them")
                .check(service());
    }

    private static JavaClasses service() {
        return new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("dev.okr");
    }

    @Test
    void dashboard_and_alerts_use_only_metrics_that_a_native_image_has() {
        assertThat(ObservabilityFiles.metrics())
                .noneMatch(metric -> metric.startsWith("jvm_gc_")
                        || metric.startsWith("jvm_buffer_")
                        || metric.startsWith("jvm_memory_max_")
                        || metric.equals("jvm_memory_usage_after_gc"));
    }
}
