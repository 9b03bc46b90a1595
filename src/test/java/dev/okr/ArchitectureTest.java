package dev.okr;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.persistence.Entity;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
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

    @Test
    void operations_run_on_virtual_threads() {
        classes()
                .that()
                .areAnnotatedWith(Path.class)
                .and()
                .haveSimpleNameEndingWith("Resource")
                .should()
                .beAnnotatedWith(RunOnVirtualThread.class)
                .check(CLASSES);
    }

    /** Query parameters are refused by the name of the method (see {@code http.UnknownParameters}). */
    @Test
    void the_methods_that_answer_pages_and_no_others_are_called_lists() {
        methods()
                .that()
                .areAnnotatedWith(GET.class)
                .should(new ArchCondition<>("be called list… if they answer a page") {
                    @Override
                    public void check(JavaMethod method, ConditionEvents events) {
                        boolean answersPage = method.getReturnType().getAllInvolvedRawTypes().stream()
                                .anyMatch(type -> type.getSimpleName().equals("Page"));
                        events.add(new SimpleConditionEvent(
                                method, answersPage == method.getName().startsWith("list"), method.getFullName()));
                    }
                })
                .check(CLASSES);
    }

    private static DescribedPredicate<JavaClass> outsideOrIn(List<String> allowed) {
        return DescribedPredicate.describe("stand in " + allowed + " or come from elsewhere", type -> {
            var name = type.getPackageName();
            return !name.startsWith(ROOT + '.') || allowed.contains(name.substring(ROOT.length() + 1));
        });
    }
}
