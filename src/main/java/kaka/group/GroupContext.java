package kaka.group;

import java.time.Clock;
import java.util.UUID;
import java.util.function.Supplier;

/** What the groups of one broker share. Belongs to the coordinator's actor. */
final class GroupContext {
  private final GroupConfig config;
  private final Supplier<UUID> ids;
  private final Clock clock;
  private final TopicPatterns patterns = new TopicPatterns();
  private Topics topics = Topics.NONE;

  /**
   * @param ids for members: each another
   * @param clock for what is stored: it may be set at any time
   */
  GroupContext(GroupConfig config, Supplier<UUID> ids, Clock clock) {
    this.config = config;
    this.ids = ids;
    this.clock = clock;
  }

  GroupConfig config() {
    return config;
  }

  /** For a member that joins so. */
  String newId(GroupRequest.Join join) {
    return join.instanceId().orElse(join.clientId()) + "-" + ids.get();
  }

  /** The time of day, for what is stored: in milliseconds since 1970. Of intervals in memory, {@code nowMs} is the measure. */
  long storedNowMs() {
    return clock.millis();
  }

  /** Those there are now. */
  Topics topics() {
    return topics;
  }

  void topics(Topics now) {
    topics = now;
    patterns.topics(now);
  }

  /** By which members of {@link EpochGroup}s subscribe. */
  TopicPatterns patterns() {
    return patterns;
  }

  /** For a member whose client has not chosen one. */
  String newId() {
    return ids.get().toString();
  }
}
