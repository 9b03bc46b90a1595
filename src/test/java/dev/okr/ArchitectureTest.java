package dev.okr;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
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
import dev.okr.platform.idempotency.Idempotent;
import dev.okr.platform.transactions.RetriedTransaction;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.persistence.Entity;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import java.sql.Connection;
import java.util.List;
import java.util.stream.Stream;
import org.jboss.resteasy.reactive.RestResponse;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The order of the areas: one imports only areas below it, and inside one there are no cycles. */
class ArchitectureTest {
    private static final String ROOT = "dev.okr";
    private static final String CONSOLE = ROOT + ".console..";

    /** From the ground up. */
    private static final List<String> AREAS =
            List.of("platform", "organizations", "access", "events", "objectives", "webhooks", "console", "operations");

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(ROOT);

    @Test
    void an_area_imports_only_areas_below_it() {
        for (int i = 0; i < AREAS.size(); i++) {
            var allowed = AREAS.subList(0, i + 1);
            classes()
                    .that()
                    .resideInAPackage(ROOT + '.' + AREAS.get(i) + "..")
                    .should()
                    .onlyDependOnClassesThat(outsideOrIn(allowed))
                    .check(CLASSES);
        }
    }

    @Test
    void no_packages_depend_on_each_other_in_a_ring() {
        slices().matching(ROOT + ".(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void every_package_is_in_an_area() {
        assertThat(CLASSES.stream().map(JavaClass::getPackageName).distinct())
                .allMatch(name -> name.equals(ROOT) || AREAS.contains(area(name)));
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

    /** {@code Sql} checks the deadline and the organisation of each statement. */
    @Test
    void all_sql_goes_through_the_class_sql() {
        noClasses()
                .that()
                .doNotHaveSimpleName("Sql")
                .and()
                .doNotHaveSimpleName("Notifications")
                .should()
                .callMethodWhere(target(owner(assignableTo(Connection.class)))
                        .and(target(nameMatching("prepareStatement|prepareCall|createStatement"))))
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

    @Test
    void every_post_of_the_api_can_be_repeated() {
        methods()
                .that()
                .areAnnotatedWith(POST.class)
                .and()
                .areDeclaredInClassesThat()
                .areNotInterfaces()
                .and()
                .areDeclaredInClassesThat()
                .resideOutsideOfPackage(CONSOLE)
                .should(new ArchCondition<>("be @Idempotent or leave their work to one method that is") {
                    @Override
                    public void check(JavaMethod method, ConditionEvents events) {
                        long idempotent = Stream.concat(Stream.of(method), calledInItsClass(method))
                                .filter(each -> each.isAnnotatedWith(Idempotent.class))
                                .distinct()
                                .count();
                        events.add(new SimpleConditionEvent(method, idempotent == 1, method.getFullName()));
                    }
                })
                .check(CLASSES);
    }

    /** A form can only be made of a request that carries the form token of whoever signed in. */
    @Test
    void every_post_of_the_console_takes_a_form() {
        methods()
                .that()
                .areAnnotatedWith(POST.class)
                .and()
                .areDeclaredInClassesThat()
                .resideInAPackage(CONSOLE)
                .should(new ArchCondition<>("take a Form") {
                    @Override
                    public void check(JavaMethod method, ConditionEvents events) {
                        boolean takesForm = method.getRawParameterTypes().stream()
                                .anyMatch(type -> type.getSimpleName().equals("Form"));
                        events.add(new SimpleConditionEvent(method, takesForm, method.getFullName()));
                    }
                })
                .check(CLASSES);
    }

    /** What the interceptors cannot see or cannot answer, and what would begin two transactions. */
    @Test
    void methods_that_can_be_repeated_can_be_intercepted() {
        methods()
                .that()
                .areAnnotatedWith(Idempotent.class)
                .should()
                .notBePrivate()
                .andShould()
                .notBeStatic()
                .andShould()
                .notBeFinal()
                .andShould()
                .haveRawReturnType(RestResponse.class)
                .andShould()
                .notBeAnnotatedWith(RetriedTransaction.class)
                .check(CLASSES);
        methods()
                .that()
                .areAnnotatedWith(POST.class)
                .should()
                .notBeAnnotatedWith(RetriedTransaction.class)
                .check(CLASSES);
    }

    private static Stream<JavaMethod> calledInItsClass(JavaMethod method) {
        return method.getMethodCallsFromSelf().stream()
                .flatMap(call -> call.getTarget().resolveMember().stream())
                .filter(called -> called.getOwner().equals(method.getOwner()));
    }

    /** Query parameters are refused by the name of the method (see {@code platform.http.UnknownParameters}). */
    @Test
    void the_methods_that_answer_pages_and_no_others_are_called_lists() {
        methods()
                .that()
                .areAnnotatedWith(GET.class)
                .and()
                .areDeclaredInClassesThat()
                .resideOutsideOfPackage(CONSOLE)
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
            return !name.startsWith(ROOT + '.') || allowed.contains(area(name));
        });
    }

    /** The part of a package's name after {@link #ROOT}. */
    private static String area(String packageName) {
        return packageName.substring(ROOT.length() + 1).split("\\.", 2)[0];
    }
}
