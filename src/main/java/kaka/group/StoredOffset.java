package kaka.group;

/**
 * What a group has committed for one partition.
 *
 * @param offset of the next record it wants, at least 0
 * @param leaderEpoch of the last record it has read, -1 where the client did not say
 * @param metadata the client's own words, given back as they are
 * @param commitMs when, in milliseconds since 1970
 */
public record StoredOffset(long offset, int leaderEpoch, String metadata, long commitMs) {
  public StoredOffset {
    if (offset < 0) {
      throw new IllegalArgumentException("offset " + offset);
    }
  }
}
