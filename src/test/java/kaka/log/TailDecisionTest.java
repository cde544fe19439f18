package kaka.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.util.Optional;
import java.util.OptionalLong;
import kaka.log.TailDecision.Damaged;
import kaka.log.TailDecision.Scan;
import kaka.log.TailDecision.Torn;
import kaka.log.TailDecision.Verdict;
import kaka.log.TailDecision.Whole;
import kaka.log.TailDecision.Zeroed;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each row of {@link TailDecision}'s table. The segment starts at offset 50; its synced bytes were 300, before offset 60. */
class TailDecisionTest {
  private static final OptionalLong AT_POINT = OptionalLong.of(60);
  private static final OptionalLong NONE = OptionalLong.empty();

  enum Row {
    NOTHING_KNOWN(Optional.empty(), new Scan(400, 400, 400, "", OptionalLong.of(50)), new Whole(0)),
    NOTHING_KNOWN_BAD(Optional.empty(), new Scan(400, 300, 400, "bad", OptionalLong.of(50)), damagedAt(300)),
    NOTHING_KNOWN_AND_EMPTY(Optional.empty(), new Scan(0, 0, 0, "", OptionalLong.of(50)), new Whole(0)),
    OLDER_SEGMENT_BAD(point(20, 900, 45), new Scan(400, 300, 400, "bad", OptionalLong.of(50)), damagedAt(300)),
    OLDER_SEGMENT(point(20, 900, 45), new Scan(400, 400, 400, "", OptionalLong.of(50)), new Whole(0)),
    SEGMENT_MISSING(point(70, 0, 70), new Scan(400, 400, 400, "", OptionalLong.of(50)), damagedAt(400)),
    SHORTER_THAN_SYNCED(point(50, 300, 60), new Scan(299, 200, 299, "cut short", NONE), damagedAt(299)),
    EMPTY_INSTEAD_OF_SYNCED(point(50, 300, 60), new Scan(0, 0, 0, "", NONE), damagedAt(0)),
    BAD_BEFORE_POINT(point(50, 300, 60), new Scan(400, 200, 400, "bad", NONE), damagedAt(200)),
    BAD_BEFORE_POINT_AT_FILE_END(point(50, 300, 60), new Scan(300, 299, 300, "bad", NONE), damagedAt(299)),
    OTHER_BATCHES_NO_END(point(50, 300, 60), new Scan(400, 400, 400, "", NONE), damagedAt(300)),
    OTHER_BATCHES_OFFSET(point(50, 300, 60), new Scan(400, 400, 400, "", OptionalLong.of(61)), damagedAt(300)),
    WHOLE(point(50, 300, 60), new Scan(400, 400, 400, "", AT_POINT), new Whole(300)),
    WHOLE_AND_SYNCED(point(50, 300, 60), new Scan(300, 300, 300, "", AT_POINT), new Whole(300)),
    TORN(point(50, 300, 60), new Scan(400, 350, 400, "bad", AT_POINT), new Torn(300)),
    TORN_RIGHT_AT_THE_POINT(point(50, 300, 60), new Scan(301, 300, 301, "bad", AT_POINT), new Torn(300)),
    TORN_IN_ZEROS(point(50, 300, 60), new Scan(900, 350, 400, "bad", AT_POINT), new Torn(300)),
    ZEROED(point(50, 300, 60), new Scan(900, 350, 350, "zeros", AT_POINT), new Zeroed(300)),
    ZEROED_RIGHT_AT_THE_POINT(point(50, 300, 60), new Scan(301, 300, 300, "zeros", AT_POINT), new Zeroed(300)),
    ZEROS_BEFORE_POINT(point(50, 300, 60), new Scan(400, 200, 200, "zeros", NONE), damagedAt(200)),
    ZEROS_RIGHT_BEFORE_POINT(point(50, 300, 60), new Scan(300, 299, 299, "zeros", NONE), damagedAt(299)),
    ZEROS_AFTER_OTHER_BATCHES(point(50, 300, 60), new Scan(900, 400, 400, "zeros", OptionalLong.of(61)), damagedAt(300)),
    NOTHING_KNOWN_OF_ZEROS(Optional.empty(), new Scan(400, 300, 300, "zeros", OptionalLong.of(50)), damagedAt(300)),
    OLDER_SEGMENT_AND_ZEROS(point(20, 900, 45), new Scan(400, 300, 300, "zeros", OptionalLong.of(50)), damagedAt(300));

    final Optional<RecoveryPoint> point;
    final Scan scan;
    final Verdict expected;

    Row(Optional<RecoveryPoint> point, Scan scan, Verdict expected) {
      this.point = point;
      this.scan = scan;
      this.expected = expected;
    }

    private static Optional<RecoveryPoint> point(long baseOffset, int position, long nextOffset) {
      return Optional.of(new RecoveryPoint(baseOffset, position, nextOffset));
    }

    private static Verdict damagedAt(long position) {
      return new Damaged(position, "");
    }
  }

  @ParameterizedTest
  @EnumSource(Row.class)
  void everyRowHasItsVerdict(Row row) {
    Verdict verdict = TailDecision.decide(row.point, 50, row.scan);

    if (row.expected instanceof Damaged expected) {
      assertEquals(expected.position(), assertInstanceOf(Damaged.class, verdict).position());
    } else {
      assertEquals(row.expected, verdict);
    }
  }
}
