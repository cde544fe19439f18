package kaka.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/**
 * The aborted transactions whose end stands in one segment, by the offset of that end: of the active segment in memory, as they
 * come. A transaction takes 140 bytes of the segment at least, and 32 here, so this is less than a quarter of a segment. Has one
 * owner; {@link #entries} are for anybody.
 *
 * <p>As a file, {@code <base offset>.txnindex}, it is Kafka's:
 *
 * <pre>n x (version i16 (0) | producer_id i64 | first_offset i64 | last_offset i64 | last_stable_offset i64)</pre>
 *
 * It is no hint like the other indexes: without it a reader would take aborted records for committed ones. So from a log's first
 * transaction on every sealed segment has one, an empty one if need be, and one that is missing is made anew from the log.
 */
final class AbortedIndex {
  static final int ENTRY_BYTES = 34;

  private static final short VERSION = 0;
  private static final int FIELDS = 4;

  private long[] packed = new long[0];
  private int count;

  /** The first {@code count} of the entries; what follows them is the writer's. */
  record Entries(long[] packed, int count) {
    static final Entries NONE = new Entries(new long[0], 0);

    AbortedTransaction get(int i) {
      return new AbortedTransaction(
          packed[i * FIELDS], packed[i * FIELDS + 1], packed[i * FIELDS + 2], packed[i * FIELDS + 3]);
    }

    /**
     * Adds those that have something in [from, to) to {@code found}.
     *
     * @return whether every later entry, here or in a later segment, begins at or after {@code to}
     */
    boolean collect(long from, long to, List<AbortedTransaction> found) {
      for (int i = 0; i < count; i++) {
        AbortedTransaction each = get(i);
        if (each.lastOffset() >= from && each.firstOffset() < to) {
          found.add(each);
        }
        if (each.lastStableOffset() >= to) {
          return true;
        }
      }
      return false;
    }
  }

  void add(AbortedTransaction aborted) {
    if ((count + 1) * FIELDS > packed.length) {
      packed = Arrays.copyOf(packed, Math.max(16 * FIELDS, 2 * packed.length));
    }
    int at = count * FIELDS;
    packed[at] = aborted.producerId();
    packed[at + 1] = aborted.firstOffset();
    packed[at + 2] = aborted.lastOffset();
    packed[at + 3] = aborted.lastStableOffset();
    count++;
  }

  Entries entries() {
    return new Entries(packed, count);
  }

  /** Durable, whole, when it returns; replaces one of that name. */
  static void write(Disk disk, LogFiles files, long baseOffset, Entries entries) throws IOException {
    WholeFile.replace(disk, files.abortedIndex(baseOffset), encode(entries));
  }

  static ByteBuffer encode(Entries entries) {
    ByteBuffer bytes = ByteBuffer.allocate(Math.multiplyExact(entries.count(), ENTRY_BYTES));
    for (int i = 0; i < entries.count(); i++) {
      AbortedTransaction each = entries.get(i);
      bytes.putShort(VERSION).putLong(each.producerId());
      bytes.putLong(each.firstOffset()).putLong(each.lastOffset()).putLong(each.lastStableOffset());
    }
    return bytes.flip();
  }

  /**
   * What the file of a segment says.
   *
   * @param nextOffset one past the segment's last
   * @throws IOException if it is missing, or not one that {@link #write} could have made
   */
  static Entries read(Disk disk, LogFiles files, long baseOffset, long nextOffset) throws IOException {
    try (DiskFile file = disk.openForReading(files.abortedIndex(baseOffset))) {
      long sizeBytes = file.sizeBytes();
      if (sizeBytes % ENTRY_BYTES != 0 || sizeBytes > Integer.MAX_VALUE) {
        throw new IOException(sizeBytes + " bytes, not a multiple of " + ENTRY_BYTES);
      }
      ByteBuffer bytes = ByteBuffer.allocate((int) sizeBytes);
      if (file.read(bytes, 0) < sizeBytes) {
        throw new IOException("became shorter");
      }
      return decode(bytes.flip(), baseOffset, nextOffset).entries();
    }
  }

  /** @param bytes a whole number of entries */
  static AbortedIndex decode(ByteBuffer bytes, long baseOffset, long nextOffset) throws IOException {
    AbortedIndex index = new AbortedIndex();
    long before = baseOffset - 1;
    while (bytes.hasRemaining()) {
      int version = bytes.getShort();
      AbortedTransaction each =
          new AbortedTransaction(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong());
      boolean isSound =
          version == VERSION
              && each.producerId() >= 0
              && each.firstOffset() >= 0
              && each.firstOffset() < each.lastOffset()
              && each.lastOffset() > before
              && each.lastOffset() < nextOffset
              && each.lastStableOffset() <= each.lastOffset() + 1;
      if (!isSound) {
        throw new IOException("entry " + index.count + " is none of this segment: version " + version + ", " + each);
      }
      before = each.lastOffset();
      index.add(each);
    }
    return index;
  }

  /** The entries of segments that become one, in their order, but for those that {@code isGone}. */
  static Entries concat(List<Entries> parts, Predicate<AbortedTransaction> isGone) {
    AbortedIndex all = new AbortedIndex();
    for (Entries part : parts) {
      for (int i = 0; i < part.count(); i++) {
        AbortedTransaction each = part.get(i);
        if (!isGone.test(each)) {
          all.add(each);
        }
      }
    }
    return all.entries();
  }
}
