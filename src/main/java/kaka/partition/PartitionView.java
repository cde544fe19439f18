package kaka.partition;

import java.util.Objects;
import java.util.Optional;
import kaka.log.LogSnapshot;

/**
 * What a partition shows to everybody else: immutable, replaced whole by its actor.
 *
 * @param snapshot what can be read; empty while the log is not open or could not be opened
 * @param reason why it is {@link PartitionState#FAILED}, else the empty string
 */
public record PartitionView(PartitionState state, Optional<LogSnapshot> snapshot, String reason) {
  static final PartitionView OPENING = new PartitionView(PartitionState.OPENING, Optional.empty(), "");

  public PartitionView {
    Objects.requireNonNull(state);
    Objects.requireNonNull(snapshot);
    Objects.requireNonNull(reason);
  }

  static PartitionView writable(LogSnapshot snapshot) {
    return new PartitionView(PartitionState.WRITABLE, Optional.of(snapshot), "");
  }

  static PartitionView failed(Optional<LogSnapshot> snapshot, String reason) {
    return new PartitionView(PartitionState.FAILED, snapshot, reason);
  }
}
