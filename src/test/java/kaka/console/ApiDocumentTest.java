package kaka.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import kaka.broker.TestBroker;
import kaka.config.KakaConfig;
import org.junit.jupiter.api.Test;

/** The document describes all that is served, and all that it describes is served. */
class ApiDocumentTest {
  private final OpenApi document = new OpenApi();

  private static List<ApiRoute> routes() throws Exception {
    AdminConfig config = KakaConfig.parse("").admin();
    return ApiRoutes.of(null, config, new ApiGuard(config), null, null, null, null, null); // nothing is asked here
  }

  @Test
  void everyRouteIsInTheDocumentWithItsParameters() throws Exception {
    Set<String> served = routes().stream().map(route -> route.method() + " " + route.path()).collect(Collectors.toSet());

    assertEquals(document.operations(), served);
    for (ApiRoute route : routes()) {
      assertEquals(document.queryParameters(route.method(), route.path()), route.params(), route.method() + " " + route.path());
    }
  }

  @Test
  void everythingInTheDocumentIsServed() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.admin.port = 0")) {
      ApiClient api = new ApiClient(broker);
      for (String operation : document.operations()) {
        String method = operation.split(" ")[0];
        String path = operation.split(" ")[1].replaceAll("\\{(partition|offset)}", "0").replaceAll("\\{\\w+}", "x");
        HttpResponse<String> answer = api.send(method, path, method.equals("POST") || method.equals("PATCH") ? "{}" : "");

        String code = answer.statusCode() < 400 ? "" : JsonTree.parse(answer.body()).text("error/code");
        assertNotEquals("not_found", code, operation);
        assertNotEquals("method_not_allowed", code, operation);
        assertNotEquals("internal", code, operation);
      }
    }
  }

  @Test
  void theDocumentIsServedAsItStandsInTheJar() throws Exception {
    try (TestBroker broker = TestBroker.start("kaka.admin.port = 0")) {
      HttpResponse<String> answer = new ApiClient(broker).send("GET", "/api/openapi.json", "");

      assertEquals(200, answer.statusCode());
      assertEquals("3.0.3", JsonTree.parse(answer.body()).text("openapi"));
      assertEquals("application/json", answer.headers().firstValue("content-type").orElseThrow());
    }
  }
}
