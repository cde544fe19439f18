package kaka.log;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * What the end of the newest segment means: whole, torn by a crash, or damaged. A crash can only take what no sync covered, so
 * the recovery point tells the two apart; it may be older than the last sync, never newer.
 *
 * <p>A segment that grows may have zeros behind its end, see {@link ZeroedRoom}: where nothing else follows on the batches, nothing
 * is torn. A commit that was torn lies in them in pieces, some pages written and others still zeros, a later one without an
 * earlier; it is cut from its first batch that is not whole. Zeros that the recovery point covers, or of which nothing is known, are
 * damage like all else that is no batch: they may stand where acknowledged batches were.
 *
 * <p>No crash takes the recovery point itself: it is there before the log is, is overwritten within one sector, and a new
 * segment's is synced before anything is appended to it. So where it is missing, damaged or of an older segment, nothing may be
 * cut: the bad bytes may be the middle of what was acknowledged.
 *
 * <p>With B the segment's base offset, L the file's size, E the end of the intact batches (each follows on the one before,
 * its CRC fits), Z where the zeros begin that are the rest of the file (E &lt;= Z &lt;= L), and a recovery point at position P of
 * segment S, next offset N. The first row is for a log whose
 * {@code clean-stop} says of itself B, L and N, too, and holds the header of the file's last batch; see {@link CleanStop}. Where
 * any of that is not so, the segment is scanned, and the other rows decide:
 *
 * <pre>
 * row                  recovery point              file                                verdict
 * CLEAN_STOP           S = B, P = L, N             nothing but the last header is read keep all, write nothing
 * NOTHING_KNOWN        missing, short, checksum    E = L                               keep all, write 0 to E again
 * NOTHING_KNOWN_BAD    missing, short, checksum    E &lt; L                               damaged at E
 * OLDER_SEGMENT        S &lt; B                       E = L                               keep all, write 0 to E again
 * OLDER_SEGMENT_BAD    S &lt; B                       E &lt; L                               damaged at E
 * SEGMENT_MISSING      S &gt; B                       any                                 damaged at L
 * SHORTER_THAN_SYNCED  S = B                       L &lt; P                               damaged at L
 * BAD_BEFORE_POINT     S = B                       E &lt; P &lt;= L                          damaged at E
 * OTHER_BATCHES        S = B                       P &lt;= E, no batch ends at P with N   damaged at P
 * WHOLE                P as above                  P &lt;= E = L                          keep all, write P to E again
 * ZEROED               P as above                  P &lt;= E = Z &lt; L                      keep to E, write P to E again, cut the zeros
 * TORN                 P as above                  P &lt;= E &lt; Z &lt;= L                     keep to E, write P to E again, cut the rest
 *                                                                                          and keep E to Z aside
 * </pre>
 */
final class TailDecision {
  private TailDecision() {}

  sealed interface Verdict {}

  /** @param unsyncedFrom from here to the end no sync is known of */
  record Whole(int unsyncedFrom) implements Verdict {}

  /** @param unsyncedFrom from here to the end of the intact batches no sync is known of; after that come nothing but zeros */
  record Zeroed(int unsyncedFrom) implements Verdict {}

  /** @param unsyncedFrom from here to the end of the intact batches no sync is known of; after that comes the torn tail */
  record Torn(int unsyncedFrom) implements Verdict {}

  record Damaged(long position, String reason) implements Verdict {}

  /**
   * What a scan of the segment found.
   *
   * @param fileBytes L
   * @param intactBytes E
   * @param zerosFrom Z
   * @param fault why the bytes at E are no batch; empty if E is L
   * @param offsetAtPoint offset after the batch that ends at P; empty if none does
   */
  record Scan(int fileBytes, int intactBytes, int zerosFrom, String fault, OptionalLong offsetAtPoint) {}

  /** Whether the first row is the one: what {@code stop} tells of is what is there, as far as that is seen from outside. */
  static boolean isCleanStop(CleanStop stop, Optional<RecoveryPoint> point, long baseOffset, long fileBytes) {
    RecoveryPoint end = new RecoveryPoint(stop.baseOffset(), stop.sizeBytes(), stop.nextOffset());
    return stop.baseOffset() == baseOffset && stop.sizeBytes() == fileBytes && point.equals(Optional.of(end));
  }

  static Verdict decide(Optional<RecoveryPoint> point, long baseOffset, Scan scan) {
    if (point.isEmpty()) {
      return wholeOrDamaged(scan, "the recovery point is missing or damaged");
    }
    if (point.get().baseOffset() < baseOffset) {
      return wholeOrDamaged(scan, "the recovery point is of segment " + point.get().baseOffset());
    }
    long pointBase = point.get().baseOffset();
    int pointPosition = point.get().position();
    if (pointBase > baseOffset) {
      return new Damaged(
          scan.fileBytes(), "the newest segment, but segment " + pointBase + " was begun after it: it is missing");
    }
    if (scan.fileBytes() < pointPosition) {
      return new Damaged(
          scan.fileBytes(), "the file ends here, but " + pointPosition + " bytes were synced and acknowledged");
    }
    if (scan.intactBytes() < pointPosition) {
      return new Damaged(
          scan.intactBytes(), scan.fault() + ", and all up to byte " + pointPosition + " was synced and acknowledged");
    }
    if (scan.offsetAtPoint().isEmpty() || scan.offsetAtPoint().getAsLong() != point.get().nextOffset()) {
      return new Damaged(
          pointPosition, "no batch ends here before offset " + point.get().nextOffset() + ", as one did when it was synced");
    }
    return wholeOrTorn(pointPosition, scan);
  }

  private static Verdict wholeOrDamaged(Scan scan, String why) {
    return scan.intactBytes() == scan.fileBytes()
        ? new Whole(0)
        : new Damaged(
            scan.intactBytes(), scan.fault() + ", and " + why + ", so nobody knows whether what follows was acknowledged");
  }

  private static Verdict wholeOrTorn(int unsyncedFrom, Scan scan) {
    if (scan.intactBytes() == scan.fileBytes()) {
      return new Whole(unsyncedFrom);
    }
    return scan.intactBytes() == scan.zerosFrom() ? new Zeroed(unsyncedFrom) : new Torn(unsyncedFrom);
  }
}
