package kaka.group;

import java.util.OptionalLong;

/**
 * What a group has committed for one partition.
 *
 * @param offset of the next record it wants, at least 0; or {@link #LATEST} or {@link #EARLIEST}, which some of Kafka's clients
 *     commit to say where the group shall begin (kafkajs), and read back
 * @param leaderEpoch of the last record it has read, -1 where the client did not say
 * @param metadata the client's own words, given back as they are
 * @param commitMs when, in milliseconds since 1970
 */
public record StoredOffset(long offset, int leaderEpoch, String metadata, long commitMs) {
  public static final long LATEST = -1;
  public static final long EARLIEST = -2;

  public StoredOffset {
    if (!isLegal(offset)) {
      throw new IllegalArgumentException("offset " + offset);
    }
  }

  /** Whether it can be committed. */
  public static boolean isLegal(long offset) {
    return offset >= EARLIEST;
  }

  /** The offset, where a number was committed: for all who know no other. */
  public OptionalLong number() {
    return offset < 0 ? OptionalLong.empty() : OptionalLong.of(offset);
  }
}
