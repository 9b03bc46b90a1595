package dev.okr;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.CanBeAnnotated.Predicates.annotatedWith;
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
import dev.okr.platform.http.Requires;
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
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameters;
import org.jboss.resteasy.reactive.RestResponse;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The rules for areas, packages and resource classes. */
class ArchitectureTest {
    private static final String ROOT = "dev.okr";

    /** From the lowest to the highest. */
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
    void packages_have_no_cycles() {
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
    void the_fields_of_entities_are_not_public() {
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
    void every_resource_of_the_api_declares_the_rights_that_it_requires() {
        classes()
                .that()
                .areAnnotatedWith(Path.class)
                .and(havePathsBelow("/v1"))
                .should()
                .beAnnotatedWith(Requires.class)
                .check(CLASSES);
    }

    @Test
    void every_post_of_the_api_is_idempotent() {
        methods()
                .that()
                .areAnnotatedWith(POST.class)
                .and()
                .areDeclaredInClassesThat()
                .areNotInterfaces()
                .and()
                .areDeclaredInClassesThat(not(havePages()))
                .should(new ArchCondition<>("be @Idempotent or call one method that is") {
                    @Override
                    public void check(JavaMethod method, ConditionEvents events) {
                        long idempotent = Stream.concat(Stream.of(method), calledBy(method))
                                .filter(each -> each.isAnnotatedWith(Idempotent.class))
                                .distinct()
                                .count();
                        events.add(new SimpleConditionEvent(method, idempotent == 1, method.getFullName()));
                    }
                })
                .check(CLASSES);
    }

    /** A form is read only from a request with a valid form token. */
    @Test
    void every_post_of_the_console_takes_a_form() {
        methods()
                .that()
                .areAnnotatedWith(POST.class)
                .and()
                .areDeclaredInClassesThat(havePages())
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

    /** The interceptors need these modifiers and this return type. Two annotations would start two transactions. */
    @Test
    void idempotent_methods_can_be_intercepted() {
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

    /** CDI promises interceptors only for calls from other beans. */
    @Test
    void no_resource_calls_a_transactional_method_of_its_own() {
        methods()
                .that(annotatedWith(Idempotent.class).or(annotatedWith(RetriedTransaction.class)))
                .and()
                .areDeclaredInClassesThat()
                .areAnnotatedWith(Path.class)
                .should(new ArchCondition<>("not be called in their own class") {
                    @Override
                    public void check(JavaMethod method, ConditionEvents events) {
                        boolean calledHere = method.getCallsOfSelf().stream()
                                .anyMatch(call -> call.getOriginOwner().equals(method.getOwner()));
                        events.add(new SimpleConditionEvent(method, !calledHere, method.getFullName()));
                    }
                })
                .check(CLASSES);
    }

    private static Stream<JavaMethod> calledBy(JavaMethod method) {
        return method.getMethodCallsFromSelf().stream().flatMap(call -> call.getTarget().resolveMember().stream());
    }

    /** {@code platform.http.UnknownParameters} lets them read their query. */
    @Test
    void the_methods_that_have_query_parameters_and_no_others_take_the_uri() {
        methods()
                .that()
                .areAnnotatedWith(GET.class)
                .and()
                .areDeclaredInClassesThat(not(havePages()))
                .should(new ArchCondition<>("take the URI if they return a page or have other query parameters") {
                    @Override
                    public void check(JavaMethod method, ConditionEvents events) {
                        boolean returnsPage = method.getReturnType().getAllInvolvedRawTypes().stream()
                                .anyMatch(type -> type.getSimpleName().equals("Page"));
                        boolean takesUri = method.getRawParameterTypes().stream()
                                .anyMatch(type -> type.getSimpleName().equals("UriInfo"));
                        boolean hasParameters =
                                method.isAnnotatedWith(Parameter.class) || method.isAnnotatedWith(Parameters.class);
                        events.add(new SimpleConditionEvent(
                                method, (returnsPage || hasParameters) == takesUri, method.getFullName()));
                    }
                })
                .check(CLASSES);
    }

    private static DescribedPredicate<JavaClass> havePages() {
        return havePathsBelow("/settings");
    }

    private static DescribedPredicate<JavaClass> havePathsBelow(String path) {
        return DescribedPredicate.describe(
                "have a path below " + path,
                type -> type.tryGetAnnotationOfType(Path.class)
                        .filter(each -> each.value().startsWith(path))
                        .isPresent());
    }

    private static DescribedPredicate<JavaClass> outsideOrIn(List<String> allowed) {
        return DescribedPredicate.describe("are in " + allowed + " or in another project", type -> {
            var name = type.getPackageName();
            return !name.startsWith(ROOT + '.') || allowed.contains(area(name));
        });
    }

    /** The part of a package's name after {@link #ROOT}. */
    private static String area(String packageName) {
        return packageName.substring(ROOT.length() + 1).split("\\.", 2)[0];
    }
}
