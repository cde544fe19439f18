package kaka.kafka;

import kaka.transaction.TransactionError;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/**
 * The transaction coordinator's reasons in Kafka's words. Clients try CONCURRENT_TRANSACTIONS, COORDINATOR_NOT_AVAILABLE and
 * COORDINATOR_LOAD_IN_PROGRESS again by themselves; after the others the producer gives up.
 */
final class TransactionErrors {
  private TransactionErrors() {}

  static Errors of(TransactionError reason) {
    return switch (reason) {
      case INVALID_ID -> Errors.INVALID_REQUEST;
      case INVALID_TIMEOUT -> Errors.INVALID_TRANSACTION_TIMEOUT;
      case CONCURRENT -> Errors.CONCURRENT_TRANSACTIONS;
      case FENCED -> Errors.PRODUCER_FENCED;
      case INVALID_MAPPING -> Errors.INVALID_PRODUCER_ID_MAPPING;
      case INVALID_STATE -> Errors.INVALID_TXN_STATE;
      case NOT_FOUND -> Errors.TRANSACTIONAL_ID_NOT_FOUND;
      case MEMORY, UNAVAILABLE -> Errors.COORDINATOR_LOAD_IN_PROGRESS;
      case DISK_NEARLY_FULL, STORAGE, SHUTTING_DOWN -> Errors.COORDINATOR_NOT_AVAILABLE;
    };
  }

  /** The same for a client of that version: PRODUCER_FENCED is newer than the first versions. */
  static Errors of(TransactionError reason, ApiKeys key, short version) {
    Errors error = of(reason);
    int firstWithFenced = key == ApiKeys.INIT_PRODUCER_ID ? 4 : 2;
    return error == Errors.PRODUCER_FENCED && version < firstWithFenced ? Errors.INVALID_PRODUCER_EPOCH : error;
  }
}
