package kaka.server;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import kaka.protocol.ProtocolException;
import kaka.protocol.Request;
import kaka.protocol.Response;
import kaka.protocol.Responses;

/** A blocking socket that speaks the native protocol byte by byte: for what a well-behaved client would never send. */
public final class RawConnection implements Closeable {
  private final Socket socket;
  private final DataInputStream in;

  public RawConnection(InetSocketAddress address) throws IOException {
    socket = new Socket();
    socket.connect(address, 10_000);
    socket.setSoTimeout(20_000);
    socket.setTcpNoDelay(true);
    in = new DataInputStream(new java.io.BufferedInputStream(socket.getInputStream(), 1 << 16));
  }

  public Socket socket() {
    return socket;
  }

  public void send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  public void send(Request request) throws IOException {
    send(request.toFrame());
  }

  /** The next answer; an EOFException if the broker has closed. */
  public Response receive() throws IOException {
    int length = in.readInt();
    byte[] frame = new byte[length];
    in.readFully(frame);
    try {
      return Responses.decode(frame[0] & 0xff, frame, 1, length);
    } catch (ProtocolException e) {
      throw new IOException(e);
    }
  }

  public Response ask(Request request) throws IOException {
    send(request);
    return receive();
  }

  /** Whether the broker has closed, seen by reading; fails on the read time-out if it stays open. */
  public boolean isClosedByPeer() throws IOException {
    try {
      return in.read() < 0;
    } catch (EOFException e) {
      return true;
    } catch (java.net.SocketException e) {
      return true; // reset
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
