package kaka.kafka;

import java.util.Optional;
import java.util.function.BiFunction;
import kaka.partition.MemoryCharge;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/** What a request takes in a coordinator, from when it is asked until the coordinator is done with it. */
final class QuestionCharge {
  /** Besides its bytes, about. */
  private static final int REQUEST_BYTES = 1 << 10;

  private static final int BYTES_PER_REQUEST_BYTE = 4;

  private QuestionCharge() {}

  /**
   * Charges it; without room for it the call is answered with an error that clients try again after.
   *
   * @param onError the response to a refusal, with a message for people
   */
  static Optional<MemoryCharge> reserve(Call call, Answer answer, BiFunction<Errors, String, ApiMessage> onError) {
    long bytes = REQUEST_BYTES + (long) BYTES_PER_REQUEST_BYTE * call.bodyBytes();
    Optional<MemoryCharge> held = MemoryCharge.tryReserve(call.services().memory(), bytes);
    if (held.isEmpty()) {
      answer.complete(onError.apply(Errors.COORDINATOR_LOAD_IN_PROGRESS, KafkaErrors.NO_MEMORY));
    }
    return held;
  }
}
