package kaka.transaction;

/** What the {@link TransactionCoordinator} answers; {@code correlationId} is the asker's own, given back. */
public record TransactionReply(long correlationId, TransactionResult result) {}
