package kaka.transaction;

/** A durable change, one record of the log of transactions; see {@link TransactionEventCodec} for its bytes. */
public sealed interface TransactionEvent {
  String id();

  /** From now on this is so. */
  record Changed(Transaction transaction) implements TransactionEvent {
    @Override
    public String id() {
      return transaction.id();
    }
  }

  /** The transactional id is forgotten. */
  record Removed(String id) implements TransactionEvent {}
}
