package kaka.checks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import kaka.cli.KakaProcess;
import kaka.protocol.Produce;
import kaka.protocol.ProduceAck;
import kaka.record.RecordBatchBuilder;
import kaka.record.TopicPartition;
import kaka.server.RawConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IdleConnectionsIT {
  private static final int CONNECTIONS = 12;
  private static final int VALUE_BYTES = 20_000_000;

  @TempDir Path directory;

  /** Together they have sent more than the heap has, and nobody charges for what an idle connection holds. */
  @Test
  void ofLargeProducesThatAreAnsweredNothingIsHeld() throws Exception {
    try (KakaProcess broker = KakaProcess.start(directory, Map.of("JAVA_TOOL_OPTIONS", "-Xmx192m"), "--port", "0", "--dir", "data")) {
      InetSocketAddress address = new InetSocketAddress("127.0.0.1", KakaProcess.port(broker.awaitReady()));
      List<RawConnection> idle = new ArrayList<>();
      try {
        for (int i = 0; i < CONNECTIONS; i++) {
          RawConnection connection = new RawConnection(address);
          idle.add(connection);
          Produce produce =
              new Produce(
                  new TopicPartition("orders", 0), new RecordBatchBuilder(64).append(0, null, new byte[VALUE_BYTES], List.of()).build());
          assertEquals(new ProduceAck(i), connection.ask(produce));
        }
      } finally {
        for (RawConnection connection : idle) {
          connection.close();
        }
      }
      broker.signal("TERM");
      assertEquals(0, broker.exitCode());
    }
  }
}
