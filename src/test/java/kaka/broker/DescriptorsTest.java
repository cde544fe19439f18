package kaka.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class DescriptorsTest {
  @Test
  void connectionsGetWhatIsConfiguredWhereThereIsPlenty() throws Exception {
    assertEquals(new Descriptors(10_000, 1_048_576 - 100 - 81 - 10_000), Descriptors.share(10_000, 100, 1_048_576));
  }

  @Test
  void storageKeepsHalfOfALowLimit() throws Exception {
    assertEquals(new Descriptors(60, 59), Descriptors.share(10_000, 100, 300));
  }

  @Test
  void limitTooLowForAnythingStopsTheStart() {
    BrokerStartException refused = assertThrows(BrokerStartException.class, () -> Descriptors.share(10, 60, 128));

    assertTrue(refused.getMessage().contains("at least 173 are needed"), refused.getMessage());
  }
}
