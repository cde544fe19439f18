package kaka.server;

import java.util.Optional;
import kaka.connection.BatchCheck;
import kaka.protocol.ErrorCode;
import kaka.protocol.ProduceDecoder;
import kaka.protocol.ProtocolException;
import kaka.record.Allowance;
import kaka.record.NoAllowanceException;
import kaka.record.RecordBatch;
import kaka.topic.TopicSettings;

/** The check of one produce's batch, or its making of a produce's records, apart from the connection's thread. */
final class ProduceCheck implements BatchCheck<ProduceCheck.Result> {
  /** What came of it. */
  sealed interface Result {}

  /** @param batch to be stored, in bytes of its own */
  record Good(RecordBatch batch) implements Result {}

  /** @param answer that the client gets instead */
  record Bad(byte[] answer) implements Result {}

  private final ProduceDecoder decoder;
  private final TopicSettings settings;
  private final long nowMs;
  private Result result;

  /** @param decoder points at the produce, and is used by nobody else */
  ProduceCheck(ProduceDecoder decoder, TopicSettings settings, long nowMs) {
    this.decoder = decoder;
    this.settings = settings;
    this.nowMs = nowMs;
  }

  @Override
  public boolean next(Allowance allowance) {
    try {
      RecordBatch batch = decoder.batch(nowMs, settings.compacts(), allowance, allowance);
      Optional<String> tooLarge = settings.problemOfSize(batch.sizeBytes());
      result = tooLarge.isEmpty() ? new Good(batch) : new Bad(Answers.error(ErrorCode.TOO_LARGE, tooLarge.get()));
    } catch (ProtocolException e) {
      result = new Bad(Answers.error(e));
    } catch (NoAllowanceException e) {
      result = new Bad(Answers.noMemory());
    }
    return false;
  }

  @Override
  public Result result(Allowance allowance) {
    return result;
  }
}
