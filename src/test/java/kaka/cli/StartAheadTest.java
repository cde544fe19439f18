package kaka.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StartAheadTest {
  /** Those of the JDK differ from one Java to the next. */
  private static boolean isOurs(String name) {
    return !name.startsWith("java.") && !name.startsWith("sun.") && !name.startsWith("jdk.") && !name.startsWith("com.sun.");
  }

  @ParameterizedTest
  @ValueSource(strings = {StartAhead.START, StartAhead.FIRST_CLIENT})
  void noListedClassIsGone(String list) {
    List<String> gone = StartAhead.classes(list).stream()
        .filter(StartAheadTest::isOurs)
        .filter(name -> StartAhead.class.getResource("/" + name.replace('.', '/') + ".class") == null)
        .toList();
    assertEquals(List.of(), gone, "run ops/perf/start-classes.sh");
  }

  @Test
  void eachIsListedOnceAndLibrariesToo() {
    List<String> listed = new ArrayList<>(StartAhead.classes(StartAhead.START));
    assertTrue(listed.contains("akka.actor.ActorSystemImpl"));
    assertTrue(listed.contains("kaka.broker.Broker"));
    List<String> later = StartAhead.classes(StartAhead.FIRST_CLIENT);
    assertTrue(later.contains("kaka.connection.ConnectionActor"));
    assertTrue(later.contains("org.apache.kafka.common.message.FetchRequestData"));
    listed.addAll(later);
    assertEquals(listed.size(), new HashSet<>(listed).size());
  }
}
