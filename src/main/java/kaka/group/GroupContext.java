package kaka.group;

import java.util.UUID;
import java.util.function.Supplier;

/** What the groups of one broker share. Belongs to the coordinator's actor. */
final class GroupContext {
  private final GroupConfig config;
  private final Supplier<UUID> ids;
  private Topics topics = Topics.NONE;

  /** @param ids for members: each another */
  GroupContext(GroupConfig config, Supplier<UUID> ids) {
    this.config = config;
    this.ids = ids;
  }

  GroupConfig config() {
    return config;
  }

  /** For a member that joins so. */
  String newId(GroupRequest.Join join) {
    return join.instanceId().orElse(join.clientId()) + "-" + ids.get();
  }

  /** Those there are now. */
  Topics topics() {
    return topics;
  }

  void topics(Topics now) {
    topics = now;
  }
}
