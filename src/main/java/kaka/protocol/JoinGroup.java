package kaka.protocol;

import java.util.ArrayList;
import java.util.List;

/**
 * JOIN_GROUP, type 0x10: becomes a member of a group, or joins its next generation. Body:
 *
 * <pre>group name | member_id string | instance_id name | client_id name | session_timeout_ms u32 | rebalance_timeout_ms u32
 * | n u16 | n x strategy name | n u16 | n x topic</pre>
 *
 * Answered by {@link JoinGroupReply}, when every member has joined.
 *
 * @param memberId empty the first time
 * @param instanceId empty, or a name that makes the member static
 * @param strategies ways of assigning, the one liked best first, at least one
 * @param topics wanted; those that do not exist have no partitions yet
 */
public record JoinGroup(
    String group,
    String memberId,
    String instanceId,
    String clientId,
    int sessionTimeoutMs,
    int rebalanceTimeoutMs,
    List<String> strategies,
    List<String> topics)
    implements Request {
  public JoinGroup {
    Limits.checkString(group, Limits.NAME_BYTES, "group");
    Limits.checkString(memberId, Limits.STRING_BYTES, "member_id");
    Limits.checkString(instanceId, Limits.NAME_BYTES, "instance_id");
    Limits.checkString(clientId, Limits.NAME_BYTES, "client_id");
    Limits.checkCount16(strategies.size(), "strategies");
    Limits.checkCount16(topics.size(), "topics");
    topics.forEach(Limits::checkTopic);
    strategies = List.copyOf(strategies);
    topics = List.copyOf(topics);
  }

  static JoinGroup decode(WireReader in) throws ProtocolException {
    String group = in.string(Limits.NAME_BYTES, "group");
    String memberId = in.string(Limits.STRING_BYTES, "member_id");
    String instanceId = in.string(Limits.NAME_BYTES, "instance_id");
    String clientId = in.string(Limits.NAME_BYTES, "client_id");
    int sessionTimeoutMs = in.int32(0, "session_timeout_ms");
    int rebalanceTimeoutMs = in.int32(0, "rebalance_timeout_ms");
    int strategyCount = in.count16(2, "n");
    List<String> strategies = new ArrayList<>(strategyCount);
    for (int i = 0; i < strategyCount; i++) {
      strategies.add(in.string(Limits.NAME_BYTES, "strategy"));
    }
    int topicCount = in.count16(2, "n");
    List<String> topics = new ArrayList<>(topicCount);
    for (int i = 0; i < topicCount; i++) {
      topics.add(in.topic());
    }
    in.end();
    return new JoinGroup(group, memberId, instanceId, clientId, sessionTimeoutMs, rebalanceTimeoutMs, strategies, topics);
  }

  @Override
  public int type() {
    return MessageType.JOIN_GROUP;
  }

  @Override
  public void encode(WireWriter out) {
    out.string(group).string(memberId).string(instanceId).string(clientId);
    out.int32(sessionTimeoutMs).int32(rebalanceTimeoutMs).int16(strategies.size());
    strategies.forEach(out::string);
    out.int16(topics.size());
    topics.forEach(out::string);
  }
}
