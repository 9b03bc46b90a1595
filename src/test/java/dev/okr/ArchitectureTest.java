package dev.okr;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import jakarta.persistence.Entity;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The order of the packages: one imports only packages that stand before it here. */
class ArchitectureTest {
    private static final String ROOT = "dev.okr";
    private static final List<String> ORDER = List.of(
            "errors",
            "ids",
            "time",
            "progress",
            "encryption",
            "transactions",
            "http",
            "organizations",
            "users",
            "auth",
            "openapi",
            "teams",
            "cycles",
            "outbox",
            "objectives",
            "keyresults",
            "checkins",
            "alignments",
            "webhooks",
            "provisioning",
            "demo",
            "database");

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(ROOT);

    @Test
    void a_package_imports_only_packages_before_it() {
        for (int i = 0; i < ORDER.size(); i++) {
            var allowed = ORDER.subList(0, i + 1);
            classes()
                    .that()
                    .resideInAPackage(ROOT + '.' + ORDER.get(i) + "..")
                    .should()
                    .onlyDependOnClassesThat(outsideOrIn(allowed))
                    .check(CLASSES);
        }
    }

    @Test
    void no_packages_depend_on_each_other_in_a_ring() {
        slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void every_package_has_its_place_in_the_order() {
        assertThat(CLASSES.stream().map(JavaClass::getPackageName).distinct())
                .allMatch(name -> name.equals(ROOT) || ORDER.contains(name.substring(ROOT.length() + 1)));
    }

    @Test
    void every_package_is_null_marked() {
        assertThat(CLASSES.stream().map(JavaClass::getPackage).distinct())
                .allMatch(each -> each.isAnnotatedWith(NullMarked.class));
    }

    @Test
    void the_fields_of_entities_are_their_own_affair() {
        fields().that()
                .areDeclaredInClassesThat()
                .areAnnotatedWith(Entity.class)
                .should()
                .notBePublic()
                .check(CLASSES);
    }

    private static DescribedPredicate<JavaClass> outsideOrIn(List<String> allowed) {
        return DescribedPredicate.describe("stand in " + allowed + " or come from elsewhere", type -> {
            var name = type.getPackageName();
            return !name.startsWith(ROOT + '.') || allowed.contains(name.substring(ROOT.length() + 1));
        });
    }
}
