package kaka.kafka;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageSizeAccumulator;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

/** A blocking socket that speaks Kafka's protocol request by request, at any version: for what clients would never send. */
public final class KafkaSocket implements Closeable {
  private final Socket socket = new Socket();
  private final DataInputStream in;
  private int nextCorrelationId = 1;

  KafkaSocket(InetSocketAddress address) throws IOException {
    this(address, 0);
  }

  /** @param receiveBytes what the kernel takes for it, about; 0 leaves that to the kernel */
  KafkaSocket(InetSocketAddress address, int receiveBytes) throws IOException {
    if (receiveBytes > 0) {
      socket.setReceiveBufferSize(receiveBytes);
    }
    socket.connect(address, 10_000);
    socket.setSoTimeout(20_000);
    socket.setTcpNoDelay(true);
    in = new DataInputStream(new java.io.BufferedInputStream(socket.getInputStream(), 1 << 16));
  }

  Socket socket() {
    return socket;
  }

  /** A request as it goes out. */
  public static byte[] frame(ApiKeys key, int version, int correlationId, ApiMessage request) {
    short headerVersion = key.requestHeaderVersion((short) version);
    RequestHeaderData header =
        new RequestHeaderData()
            .setRequestApiKey(key.id)
            .setRequestApiVersion((short) version)
            .setCorrelationId(correlationId)
            .setClientId("test");
    ObjectSerializationCache cache = new ObjectSerializationCache();
    MessageSizeAccumulator size = new MessageSizeAccumulator();
    header.addSize(size, cache, headerVersion);
    request.addSize(size, cache, (short) version);
    ByteBuffer buffer = ByteBuffer.allocate(4 + size.totalSize());
    buffer.putInt(size.totalSize());
    ByteBufferAccessor out = new ByteBufferAccessor(buffer);
    header.write(out, cache, headerVersion);
    request.write(out, cache, (short) version);
    return buffer.array();
  }

  void send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  /** @return the correlation id to {@link #receive} by */
  int send(ApiKeys key, int version, ApiMessage request) throws IOException {
    send(frame(key, version, nextCorrelationId, request));
    return nextCorrelationId++;
  }

  /** The next response, without its length. */
  byte[] receiveFrame() throws IOException {
    byte[] frame = new byte[in.readInt()];
    in.readFully(frame);
    return frame;
  }

  /** The next response; fails if it is not the one to {@code correlationId} or has bytes left. */
  ApiMessage receive(ApiKeys key, int version, int correlationId) throws IOException {
    byte[] frame = receiveFrame();
    ByteBufferAccessor bytes = new ByteBufferAccessor(ByteBuffer.wrap(frame));
    ResponseHeaderData header = new ResponseHeaderData(bytes, key.responseHeaderVersion((short) version));
    if (header.correlationId() != correlationId) {
      throw new IOException("answer to " + header.correlationId() + " where that to " + correlationId + " should be");
    }
    ApiMessage response = key.messageType.newResponse();
    response.read(bytes, (short) version);
    if (bytes.remaining() != 0) {
      throw new IOException(bytes.remaining() + " bytes after the response");
    }
    return response;
  }

  <T extends ApiMessage> T ask(Class<T> type, int version, ApiMessage request) throws IOException {
    ApiKeys key = ApiKeys.forId(request.apiKey());
    return type.cast(receive(key, version, send(key, version, request)));
  }

  /** Whether the broker has closed, seen by reading; fails on the read time-out if it stays open. */
  boolean isClosedByPeer() throws IOException {
    try {
      return in.read() < 0;
    } catch (java.net.SocketException e) {
      return true; // reset
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
