package kaka.protocol;

import java.util.Optional;
import java.util.UUID;

/**
 * HELLO, type 0x86: answers HELLO with what this connection may do. Body, the tail if a
 * producer id was asked for:
 *
 * <pre>version u16 | window_requests u32 | window_bytes u32 | max_frame_bytes u32 | max_fetch_bytes u32
 * | broker_id 16 bytes | broker_version_len u16 | broker_version
 * [ | producer_id u64 | producer_epoch u16 ]</pre>
 *
 * @param version the one that both sides speak from here on
 * @param windowRequests requests that may be in flight, at least 1
 * @param windowBytes bytes of requests that may be in flight, at least 1; more than a u32 holds is cut to 2^32 - 1
 * @param maxFrameBytes the greatest {@code len} of a frame that the broker takes
 * @param maxFetchBytes what a FETCH's max_bytes is cut to
 * @param brokerId stays the same as long as the data directory does
 * @param brokerVersion for people; at most 255 bytes
 * @param producer who the client's producer is from now on, if it asked
 */
public record HelloReply(
    int version,
    int windowRequests,
    long windowBytes,
    int maxFrameBytes,
    int maxFetchBytes,
    UUID brokerId,
    String brokerVersion,
    Optional<ProducerIdentity> producer)
    implements Response {
  private static final long UINT32_MAX = 0xffff_ffffL;

  /** One to a client that asked for no producer id. */
  public HelloReply(
      int version,
      int windowRequests,
      long windowBytes,
      int maxFrameBytes,
      int maxFetchBytes,
      UUID brokerId,
      String brokerVersion) {
    this(version, windowRequests, windowBytes, maxFrameBytes, maxFetchBytes, brokerId, brokerVersion, Optional.empty());
  }

  public HelloReply {
    Limits.checkUint16(version, "version");
    if (windowRequests < 1 || windowBytes < 1 || maxFrameBytes < 1 || maxFetchBytes < 1) {
      throw new IllegalArgumentException(
          "window " + windowRequests + ", " + windowBytes + ", frame " + maxFrameBytes + ", fetch " + maxFetchBytes);
    }
    windowBytes = Math.min(windowBytes, UINT32_MAX);
    Limits.checkString(brokerVersion, Limits.NAME_BYTES, "brokerVersion");
  }

  static HelloReply decode(WireReader in) throws ProtocolException {
    int version = in.uint16("version");
    int windowRequests = in.int32(1, "window_requests");
    long windowBytes = in.uint32("window_bytes");
    if (windowBytes < 1) {
      throw ProtocolException.badRequest("window_bytes", 6, "0, at least 1");
    }
    int maxFrameBytes = in.int32(1, "max_frame_bytes");
    int maxFetchBytes = in.int32(1, "max_fetch_bytes");
    UUID brokerId = in.uuid("broker_id");
    String brokerVersion = in.string(Limits.NAME_BYTES, "broker_version");
    Optional<ProducerIdentity> producer =
        in.remaining() > 0
            ? Optional.of(new ProducerIdentity(in.uint63("producer_id"), in.int15("producer_epoch")))
            : Optional.empty();
    in.end();
    return new HelloReply(
        version, windowRequests, windowBytes, maxFrameBytes, maxFetchBytes, brokerId, brokerVersion, producer);
  }

  /** The same with a producer's identity. */
  public HelloReply withProducer(ProducerIdentity identity) {
    return new HelloReply(
        version, windowRequests, windowBytes, maxFrameBytes, maxFetchBytes, brokerId, brokerVersion, Optional.of(identity));
  }

  @Override
  public int type() {
    return MessageType.HELLO_REPLY;
  }

  @Override
  public void encode(WireWriter out) {
    out.int16(version).int32(windowRequests).int32((int) windowBytes).int32(maxFrameBytes).int32(maxFetchBytes);
    out.uuid(brokerId).string(brokerVersion);
    producer.ifPresent(identity -> out.int64(identity.id()).int16(identity.epoch()));
  }
}
