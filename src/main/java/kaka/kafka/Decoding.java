package kaka.kafka;

import java.nio.ByteBuffer;
import java.util.Optional;
import kaka.connection.BatchCheck;
import kaka.partition.MemoryBudget;
import kaka.record.Allowance;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * Makes objects of one request's bytes: on the thread that serves its connection if that is soon done, as it is of nearly every
 * request, else anew, and apart.
 */
final class Decoding implements BatchCheck<Decoding.Outcome>, RequestReader.Watch {
  /** What is done on the connection's thread, in the measure of {@link RequestReader}: a hundred microseconds or two. */
  static final int LIGHT_BYTES = 512 << 10;

  /** What came of it. */
  sealed interface Outcome {}

  /** @param chargedBytes of the memory budget, for the request's objects: the receiver's */
  record Decoded(RequestHeaderData header, ApiMessage request, long chargedBytes) implements Outcome {}

  /** @param reason for people */
  record Refused(String reason) implements Outcome {}

  private static final class NotLightException extends RuntimeException {
    private static final long serialVersionUID = 1;

    NotLightException() {
      super("", null, false, false);
    }
  }

  private final ApiKeys key;
  private final short version;
  private final ByteBuffer bytes;
  private final MemoryBudget budget;
  private long lightBytes = LIGHT_BYTES;
  private Allowance apart; // once it is
  private Outcome outcome;
  private int bodyAt; // 0 while the header is read
  private boolean isManyByHeader;

  /** @param bytes the request, from its first byte to its last */
  Decoding(ApiKeys key, short version, ByteBuffer bytes, MemoryBudget budget) {
    this.key = key;
    this.version = version;
    this.bytes = bytes;
    this.budget = budget;
  }

  /** On the connection's thread; nothing if it is to be done apart. */
  Optional<Outcome> onLoop() {
    try {
      return Optional.of(decode());
    } catch (RequestReader.BrokenOffException e) {
      return Optional.empty();
    }
  }

  /** All at once, and apart. */
  @Override
  public boolean next(Allowance allowance) {
    apart = allowance;
    try {
      outcome = decode();
    } catch (RequestReader.BrokenOffException e) {
      throw e.getCause();
    }
    return false;
  }

  @Override
  public Outcome result(Allowance allowance) {
    return outcome;
  }

  @Override
  public void worked(long more) {
    if (apart != null) {
      apart.worked(more);
    } else {
      lightBytes -= more;
      if (lightBytes < 0) {
        throw new NotLightException();
      }
    }
  }

  @Override
  public void comesToMany() {
    if (bodyAt == 0) {
      isManyByHeader = true;
    } else if (apart == null) {
      scan();
    }
  }

  /** Throws if Kafka's classes would take too long. */
  private void scan() {
    if (!HashedArrays.of(key).isEmpty()) {
      RequestScan.check(key, version, bytes.duplicate().position(bodyAt), more -> RequestReader.breakable(() -> worked(more)));
    }
  }

  private Outcome decode() {
    Allowance memory = apart == null ? budget : apart;
    RequestReader reader = new RequestReader(bytes.rewind(), memory, this);
    boolean isDecoded = false;
    bodyAt = 0;
    isManyByHeader = false;
    try {
      RequestHeaderData header = new RequestHeaderData(reader, key.requestHeaderVersion(version));
      bodyAt = bytes.position();
      if (apart != null || isManyByHeader) {
        scan();
      }
      ApiMessage request = key.messageType.newRequest();
      request.read(reader, version);
      isDecoded = true;
      return new Decoded(header, request, reader.chargedBytes());
    } catch (RequestReader.NoMemoryException e) {
      return new Refused("no memory for a " + key.name + " request of " + bytes.limit() + " bytes");
    } catch (RequestReader.BrokenOffException e) {
      throw e;
    } catch (RuntimeException e) { // that is how Kafka's classes say that bytes are not what they should be
      return new Refused(key.name + " version " + version + ": " + (e.getMessage() == null ? e.toString() : e.getMessage()));
    } finally {
      if (!isDecoded) {
        memory.release(reader.chargedBytes());
      }
    }
  }
}
