package kaka.group;

import java.time.Duration;

/**
 * Settings {@code kaka.groups.*}; what exists is valid.
 *
 * @param minSessionTimeout shortest session timeout that a member may ask for, above 0
 * @param maxSessionTimeout longest one
 * @param initialRebalanceDelay how long the first members of a group wait for others to join, at least 0
 * @param offsetsRetention how long offsets are kept after their group's last member, or last commit, above 0
 * @param maxGroups groups that may exist
 * @param maxGroupMembers members that one group may have
 * @param maxOffsetMetadataBytes bytes of a committed offset's metadata
 * @param maxBytes memory that all groups, their members and offsets may take, about
 * @param compactBytes the log of offsets is compacted when it has grown by this, or by as much again as what is live, whichever is more
 * @param epochs of groups of the newer protocol
 */
public record GroupConfig(
    Duration minSessionTimeout,
    Duration maxSessionTimeout,
    Duration initialRebalanceDelay,
    Duration offsetsRetention,
    int maxGroups,
    int maxGroupMembers,
    int maxOffsetMetadataBytes,
    long maxBytes,
    long compactBytes,
    Epochs epochs) {
  private static final Duration LONGEST = Duration.ofDays(3650);

  /**
   * What members of an {@link EpochGroup} are held to, and told.
   *
   * @param sessionTimeout who says nothing for so long is no member any more, above the interval, at most 1 day
   * @param heartbeatInterval how often they are to say that they are alive, 1 ms or more
   */
  public record Epochs(Duration sessionTimeout, Duration heartbeatInterval) {
    public Epochs {
      String interval = "consumer-heartbeat-interval";
      check(isAbove(heartbeatInterval, Duration.ofNanos(999_999)), interval, heartbeatInterval, "1 ms or more");
      check(isAbove(sessionTimeout, heartbeatInterval), interval, heartbeatInterval, "less than consumer-session-timeout");
      check(!isAbove(sessionTimeout, Duration.ofDays(1)), "consumer-session-timeout", sessionTimeout, "at most 1 day");
    }
  }

  public GroupConfig {
    check(isAbove(minSessionTimeout, Duration.ZERO), "min-session-timeout", minSessionTimeout, "above zero, at most 1 day");
    check(!isAbove(minSessionTimeout, Duration.ofDays(1)), "min-session-timeout", minSessionTimeout, "above zero, at most 1 day");
    check(!isAbove(minSessionTimeout, maxSessionTimeout), "max-session-timeout", maxSessionTimeout, "at least min-session-timeout");
    check(!isAbove(maxSessionTimeout, Duration.ofDays(1)), "max-session-timeout", maxSessionTimeout, "at most 1 day");
    check(!initialRebalanceDelay.isNegative(), "initial-rebalance-delay", initialRebalanceDelay, "0 to 5 minutes");
    check(!isAbove(initialRebalanceDelay, Duration.ofMinutes(5)), "initial-rebalance-delay", initialRebalanceDelay, "0 to 5 minutes");
    check(isAbove(offsetsRetention, Duration.ZERO), "offsets-retention", offsetsRetention, "above zero, at most 3650 days");
    check(!isAbove(offsetsRetention, LONGEST), "offsets-retention", offsetsRetention, "above zero, at most 3650 days");
    check(maxGroups >= 1 && maxGroups <= 10_000_000, "max", maxGroups, "1 to 10,000,000");
    check(maxGroupMembers >= 1 && maxGroupMembers <= 100_000, "max-members", maxGroupMembers, "1 to 100,000");
    check(maxOffsetMetadataBytes >= 0 && maxOffsetMetadataBytes <= 32_767, "max-metadata-bytes", maxOffsetMetadataBytes, "0 to 32767");
    check(maxBytes >= 64 * 1024, "max-bytes", maxBytes, "at least 64 KiB");
    check(compactBytes >= 1024 && compactBytes <= 1L << 30, "compact-bytes", compactBytes, "1 KiB to 1 GiB");
  }

  private static boolean isAbove(Duration duration, Duration limit) {
    return duration.compareTo(limit) > 0;
  }

  private static void check(boolean isGood, String key, Object value, String expected) {
    if (!isGood) {
      throw new IllegalArgumentException(key + " " + value + ": " + expected);
    }
  }
}
