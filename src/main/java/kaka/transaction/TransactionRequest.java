package kaka.transaction;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** What the coordinator can be asked for; each says which {@link TransactionResult} answers it. */
public sealed interface TransactionRequest {
  /** A producer id and its epoch. */
  record Producer(long id, short epoch) {}

  /**
   * Makes the asker the one producer of the transactional id, fences those before it, and has their transaction aborted. Answered
   * by {@link TransactionResult.Initialized}.
   *
   * @param current what the asker had, if it only wants another epoch (KIP-360): refused if it was fenced
   */
  record Initialize(String id, int timeoutMs, Optional<Producer> current) implements TransactionRequest {}

  /**
   * Partitions become part of the transaction, which begins if none is ongoing; to be asked before they are written to. Answered
   * by {@link TransactionResult.Done}.
   *
   * @param partitions exist; {@link TransactionPartition#OFFSETS} before offsets are committed
   */
  record Add(String id, Producer producer, Set<TransactionPartition> partitions) implements TransactionRequest {
    public Add {
      partitions = Set.copyOf(partitions);
    }
  }

  /** Commits or aborts; answered by {@link TransactionResult.Done} when that is decided for good, and known everywhere, or nearly. */
  record End(String id, Producer producer, boolean isCommit) implements TransactionRequest {}

  /** Answered by {@link TransactionResult.Described}. */
  record Describe(List<String> ids) implements TransactionRequest {
    public Describe {
      ids = List.copyOf(ids);
    }
  }

  /**
   * Answered by {@link TransactionResult.Listed}.
   *
   * @param phases only those; all if empty
   * @param producerIds only those; all if empty
   * @param lastingMs only transactions that are under way for longer
   */
  record ListAll(Set<TransactionPhase> phases, Set<Long> producerIds, OptionalLong lastingMs)
      implements TransactionRequest {
    public ListAll {
      phases = Set.copyOf(phases);
      producerIds = Set.copyOf(producerIds);
    }
  }
}
