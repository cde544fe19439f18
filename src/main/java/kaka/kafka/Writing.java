package kaka.kafka;

import java.util.Optional;
import kaka.connection.BatchCheck;
import kaka.record.Allowance;
import org.apache.kafka.common.protocol.ApiMessage;

/** A response that is made apart, step by step, and written there, where there is memory for its bytes. */
final class Writing implements BatchCheck<Writing.Written> {
  /**
   * @param frame nothing if there was no memory for it
   * @param sizeBytes of the frame, charged if it is there
   */
  record Written(Optional<byte[]> frame, int sizeBytes) {}

  private final Call call;
  private final BatchCheck<ApiMessage> response;

  Writing(Call call, BatchCheck<ApiMessage> response) {
    this.call = call;
    this.response = response;
  }

  @Override
  public boolean next(Allowance allowance) {
    return response.next(allowance);
  }

  @Override
  public Written result(Allowance allowance) {
    ResponseFrame frame = call.frame(response.result(allowance));
    int sizeBytes = frame.sizeBytes();
    return new Written(allowance.tryReserve(sizeBytes) ? Optional.of(frame.write()) : Optional.empty(), sizeBytes);
  }
}
