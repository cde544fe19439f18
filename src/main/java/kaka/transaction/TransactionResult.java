package kaka.transaction;

import java.util.List;
import java.util.Optional;

/** What the coordinator answers to a {@link TransactionRequest}. */
public sealed interface TransactionResult {
  /** Nothing was done, or nothing is known to have been: {@link TransactionError#STORAGE}. */
  record Refused(TransactionError reason, String detail) implements TransactionResult {
    Refused(TransactionError reason) {
      this(reason, reason.text());
    }
  }

  record Initialized(long producerId, short epoch) implements TransactionResult {}

  enum Done implements TransactionResult {
    INSTANCE
  }

  /** In the order of the request; empty for an id that is not known. */
  record Described(List<Optional<Transaction>> transactions) implements TransactionResult {
    public Described {
      transactions = List.copyOf(transactions);
    }
  }

  record Listed(List<Transaction> transactions) implements TransactionResult {
    public Listed {
      transactions = List.copyOf(transactions);
    }
  }
}
