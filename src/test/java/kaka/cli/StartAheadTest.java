package kaka.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class StartAheadTest {
  private static final List<String> LISTED = StartAhead.classes();

  /** Those of the JDK differ from one Java to the next. */
  private static boolean isOurs(String name) {
    return !name.startsWith("java.") && !name.startsWith("sun.") && !name.startsWith("jdk.") && !name.startsWith("com.sun.");
  }

  @Test
  void noListedClassIsGone() {
    List<String> gone = LISTED.stream()
        .filter(StartAheadTest::isOurs)
        .filter(name -> StartAhead.class.getResource("/" + name.replace('.', '/') + ".class") == null)
        .toList();
    assertEquals(List.of(), gone, "run ops/perf/start-classes.sh");
  }

  @Test
  void eachIsListedOnceAndLibrariesToo() {
    assertEquals(LISTED.size(), new HashSet<>(LISTED).size());
    assertTrue(LISTED.contains("akka.actor.ActorSystemImpl"));
    assertTrue(LISTED.contains("kaka.broker.Broker"));
  }
}
