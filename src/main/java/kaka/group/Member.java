package kaka.group;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** One member of a {@link ConsumerGroup}, as it last joined. Belongs to the coordinator's actor. */
final class Member {
  /** What a member takes besides its texts and bytes, about. */
  private static final int OVERHEAD_BYTES = 600;

  private final String id;
  private GroupRequest.Join joined;
  private Opaque assignment = Opaque.EMPTY;
  private OptionalLong joinTicket = OptionalLong.empty();
  private OptionalLong syncTicket = OptionalLong.empty();
  private long sessionDeadlineMs;
  private boolean owesSync;

  Member(String id, GroupRequest.Join joined, long nowMs) {
    this.id = id;
    this.joined = joined;
    stayAlive(nowMs);
  }

  String id() {
    return id;
  }

  Optional<String> instanceId() {
    return joined.instanceId();
  }

  boolean isStatic() {
    return joined.instanceId().isPresent();
  }

  /** Whether the coordinator assigns where this one leads, and a join waits for the assignment. */
  boolean isNative() {
    return joined.isNative();
  }

  GroupRequest.Join joined() {
    return joined;
  }

  void update(GroupRequest.Join again) {
    joined = again;
  }

  /** Bytes that the member offered with a protocol; empty where it offered none of that name. */
  Opaque metadata(String protocol) {
    for (GroupRequest.Protocol each : joined.protocols()) {
      if (each.name().equals(protocol)) {
        return each.metadata();
      }
    }
    return Opaque.EMPTY;
  }

  boolean supports(String protocol) {
    return joined.protocols().stream().anyMatch(each -> each.name().equals(protocol));
  }

  /** The topics it wants by any of its protocols; empty if its bytes do not say. */
  Optional<List<String>> topics(String protocol) {
    return joined.protocolType().equals(ConsumerProtocol.TYPE) ? ConsumerProtocol.topics(metadata(protocol)) : Optional.empty();
  }

  Opaque assignment() {
    return assignment;
  }

  Map<String, List<Integer>> assignedPartitions() {
    Map<String, List<Integer>> none = new HashMap<>();
    return ConsumerProtocol.partitions(assignment).<Map<String, List<Integer>>>map(found -> found).orElse(none);
  }

  void assign(Opaque bytes) {
    assignment = bytes;
  }

  // ---------------------------------------------------------------- what it waits for

  boolean isJoining() {
    return joinTicket.isPresent();
  }

  boolean isSyncing() {
    return syncTicket.isPresent();
  }

  /** @return the ticket that waited before */
  OptionalLong awaitJoin(long ticket) {
    OptionalLong before = joinTicket;
    joinTicket = OptionalLong.of(ticket);
    return before;
  }

  OptionalLong awaitSync(long ticket) {
    OptionalLong before = syncTicket;
    syncTicket = OptionalLong.of(ticket);
    return before;
  }

  OptionalLong takeJoin() {
    OptionalLong taken = joinTicket;
    joinTicket = OptionalLong.empty();
    return taken;
  }

  OptionalLong takeSync() {
    OptionalLong taken = syncTicket;
    syncTicket = OptionalLong.empty();
    return taken;
  }

  /** Forgets whoever waits under {@code ticket}: its session runs from now on. @return whether it was this member's */
  boolean cancel(long ticket, long nowMs) {
    boolean isMine = joinTicket.equals(OptionalLong.of(ticket)) || syncTicket.equals(OptionalLong.of(ticket));
    if (isMine) {
      joinTicket = OptionalLong.empty();
      syncTicket = OptionalLong.empty();
      stayAlive(nowMs);
    }
    return isMine;
  }

  /** The assignment that it waits for will not come. @return whom to tell; a native member's join goes on, for the next one */
  OptionalLong endSync() {
    OptionalLong ticket = takeSync();
    if (ticket.isPresent() && isNative()) {
      joinTicket = ticket;
      return OptionalLong.empty();
    }
    return ticket;
  }

  /** A generation begins; if it has joined it, it has to ask for its assignment, and a native member's join does that. */
  void enter(long nowMs) {
    stayAlive(nowMs);
    owesSync = isJoining() && !isNative();
    if (isJoining() && isNative()) {
      syncTicket = takeJoin();
    }
  }

  /** Whether it has joined a generation and not asked for its assignment in it. */
  boolean owesSync() {
    return owesSync;
  }

  void hasSynced() {
    owesSync = false;
  }

  // ---------------------------------------------------------------- time

  void stayAlive(long nowMs) {
    sessionDeadlineMs = nowMs + joined.sessionTimeoutMs();
  }

  /** When it is taken for dead; not while it waits for an answer. */
  OptionalLong sessionDeadlineMs() {
    return isJoining() || isSyncing() ? OptionalLong.empty() : OptionalLong.of(sessionDeadlineMs);
  }

  boolean isExpired(long nowMs) {
    return !isJoining() && !isSyncing() && nowMs >= sessionDeadlineMs;
  }

  // ---------------------------------------------------------------- memory

  long sizeBytes() {
    return sizeBytes(joined) + assignment.sizeBytes();
  }

  static long sizeBytes(GroupRequest.Join join) {
    long bytes = OVERHEAD_BYTES;
    bytes += 2L * (join.clientId().length() + join.clientHost().length() + join.protocolType().length());
    bytes += 2L * join.instanceId().map(String::length).orElse(0);
    for (GroupRequest.Protocol protocol : join.protocols()) {
      bytes += 100 + 2L * protocol.name().length() + protocol.metadata().sizeBytes();
    }
    return bytes;
  }
}
