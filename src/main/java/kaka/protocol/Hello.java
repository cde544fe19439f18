package kaka.protocol;

/**
 * HELLO, type 0x06: who the client is and which versions it speaks. Body, the tail or not:
 *
 * <pre>min_version u16 | max_version u16 | client_id_len u16 | client_id | software_len u16 | software [ | wants u8 ]</pre>
 *
 * Answered by {@link HelloReply}, or UNSUPPORTED where the versions do not meet.
 *
 * @param minVersion 0 to 65535
 * @param maxVersion at least {@code minVersion}
 * @param clientId chosen by its operator, for logs and metrics; at most 255 bytes
 * @param software name and version of the client's code, for logs; at most 255 bytes
 * @param wantsProducerId whether the answer is to bring a new {@link ProducerIdentity}: {@code wants} is 1
 */
public record Hello(int minVersion, int maxVersion, String clientId, String software, boolean wantsProducerId)
    implements Request {
  /** The protocol's version that this code speaks. */
  public static final int VERSION = 1;

  private static final int PRODUCER_ID = 1;

  /** One that asks for no producer id. */
  public Hello(int minVersion, int maxVersion, String clientId, String software) {
    this(minVersion, maxVersion, clientId, software, false);
  }

  public Hello {
    Limits.checkUint16(minVersion, "minVersion");
    Limits.checkUint16(maxVersion, "maxVersion");
    if (minVersion > maxVersion) {
      throw new IllegalArgumentException("versions " + minVersion + " to " + maxVersion);
    }
    Limits.checkString(clientId, Limits.NAME_BYTES, "clientId");
    Limits.checkString(software, Limits.NAME_BYTES, "software");
  }

  static Hello decode(WireReader in) throws ProtocolException {
    int minVersion = in.uint16("min_version");
    int maxVersion = in.uint16("max_version");
    if (minVersion > maxVersion) {
      throw ProtocolException.badRequest("max_version", 2, maxVersion + ", at least " + minVersion);
    }
    String clientId = in.string(Limits.NAME_BYTES, "client_id");
    String software = in.string(Limits.NAME_BYTES, "software");
    boolean wantsProducerId = in.remaining() > 0;
    if (wantsProducerId) {
      in.just8(PRODUCER_ID, "wants");
    }
    in.end();
    return new Hello(minVersion, maxVersion, clientId, software, wantsProducerId);
  }

  /** Whether the client speaks {@link #VERSION}. */
  public boolean isVersionSupported() {
    return minVersion <= VERSION && VERSION <= maxVersion;
  }

  @Override
  public int type() {
    return MessageType.HELLO;
  }

  @Override
  public void encode(WireWriter out) {
    out.int16(minVersion).int16(maxVersion).string(clientId).string(software);
    if (wantsProducerId) {
      out.int8(PRODUCER_ID);
    }
  }
}
