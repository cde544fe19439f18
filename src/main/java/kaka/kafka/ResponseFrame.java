package kaka.kafka;

import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageSizeAccumulator;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.record.internal.BaseRecords;

/**
 * A response as it goes out: length, header, body. Its size is known before it is written, so that it can be charged first.
 * Records in it are left out: they are read from the disk and sent between the parts that are written here.
 */
final class ResponseFrame {
  private static final int LENGTH_BYTES = 4;

  /** Called for each place where records belong. */
  @FunctionalInterface
  interface Gap {
    /** @param at how many bytes of the frame's own come before them */
    void records(BaseRecords records, int at);
  }

  private final ResponseHeaderData header;
  private final short headerVersion;
  private final ApiMessage body;
  private final short version;
  private final ObjectSerializationCache cache = new ObjectSerializationCache();
  private final MessageSizeAccumulator size = new MessageSizeAccumulator();

  ResponseFrame(ApiKeys key, short version, int correlationId, ApiMessage body) {
    this.header = new ResponseHeaderData().setCorrelationId(correlationId);
    this.headerVersion = key.responseHeaderVersion(version);
    this.body = body;
    this.version = version;
    header.addSize(size, cache, headerVersion);
    body.addSize(size, cache, version);
  }

  /** Of what is written here: everything but the records. */
  int sizeBytes() {
    return LENGTH_BYTES + size.sizeExcludingZeroCopy();
  }

  /** All of it; there are no records in it. */
  byte[] write() {
    return write(
        (records, at) -> {
          throw new IllegalStateException("records in a response that has none");
        });
  }

  /** Everything but the records. */
  byte[] write(Gap gap) {
    ByteBuffer buffer = ByteBuffer.allocate(sizeBytes());
    buffer.putInt(size.totalSize());
    ByteBufferAccessor out =
        new ByteBufferAccessor(buffer) {
          @Override
          public void writeRecords(BaseRecords records) {
            gap.records(records, buffer.position());
          }
        };
    header.write(out, cache, headerVersion);
    body.write(out, cache, version);
    return buffer.array();
  }
}
