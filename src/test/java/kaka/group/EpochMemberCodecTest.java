package kaka.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.UUID;
import kaka.TestSeed;
import kaka.record.Record;
import org.junit.jupiter.api.Test;

class EpochMemberCodecTest {
  private static final EpochMember MEMBER =
      new EpochMember(
          "m",
          Optional.of("i"),
          Optional.empty(),
          "c",
          "/h",
          5000,
          new EpochMember.Subscription(List.of("b", "a"), Optional.of("x.*"), Optional.of("range")),
          7,
          6,
          PartitionSet.of(Map.of(new UUID(1, 2), List.of(3, 0))),
          PartitionSet.of(Map.of(new UUID(1, 2), List.of(1))),
          PartitionSet.NONE);

  private static final String GOLDEN =
      "01" + "00000007" + "00000006" + "00001388" + "000163" + "00022f68" + "000169" + "0000" + "0003782e2a" + "000572616e6765"
          + "00000002" + "000161" + "000162"
          + "00000001" + "00000000000000010000000000000002" + "00000002" + "00000000" + "00000003"
          + "00000001" + "00000000000000010000000000000002" + "00000001" + "00000001"
          + "00000000";

  private final GroupEventCodec codec = new GroupEventCodec();

  private GroupEvent again(GroupEvent event) throws IOException {
    return codec.parse(new Record(0, 0, codec.key(event), codec.value(event), List.of()));
  }

  @Test
  void bytesAreThose() throws IOException {
    GroupEvent event = new GroupEvent.MemberChanged("g", MEMBER);

    assertEquals("060001676d", HexFormat.of().formatHex(codec.key(event)));
    assertEquals(GOLDEN, HexFormat.of().formatHex(codec.value(event)));
    assertEquals(event, again(event));
  }

  @Test
  void otherEventsOfSuchAGroupComeBack() throws IOException {
    GroupEvent removed = new GroupEvent.MemberRemoved("g", "m");
    GroupEvent changed = new GroupEvent.GroupChanged("g", 5, "consumer", OptionalLong.of(9), GroupType.CONSUMER);
    GroupEvent classic = new GroupEvent.GroupChanged("g", 5, "consumer", OptionalLong.empty());

    assertEquals(removed, again(removed));
    assertEquals(changed, again(changed));
    assertEquals(classic, again(classic));
    assertEquals(1, codec.value(classic)[0], "as older versions wrote it");
  }

  @Test
  void whatIsCutShortIsRefused() {
    byte[] key = codec.key(new GroupEvent.MemberChanged("g", MEMBER));
    byte[] value = HexFormat.of().parseHex(GOLDEN);
    for (int size = 0; size < value.length; size++) {
      byte[] cut = Arrays.copyOf(value, size);
      assertThrows(IOException.class, () -> codec.parse(new Record(0, 0, key, cut, List.of())), size + " bytes");
    }
    value[0] = 2;
    assertThrows(IOException.class, () -> codec.parse(new Record(0, 0, key, value, List.of())));
  }

  /** Nothing but that exception, and nothing is allocated that the bytes could not hold. */
  @Test
  void randomBytesAreAnEventOrRefused() {
    Random random = new Random(TestSeed.get());
    byte[] golden = HexFormat.of().parseHex(GOLDEN);
    byte[] key = codec.key(new GroupEvent.MemberChanged("g", MEMBER));
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] value = golden.clone();
      for (int j = random.nextInt(4); j >= 0; j--) {
        value[random.nextInt(value.length)] = (byte) random.nextInt();
      }
      try {
        codec.parse(new Record(0, 0, key, value, List.of()));
      } catch (IOException e) {
        refused++;
      }
    }
    assertEquals(true, refused > 100 && refused < 20_000, refused + " refused");
  }
}
