package kaka.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** What one thread writes another reads, at once and whoever lives on; java.io's pipe looks only once a second. */
final class Pipe {
  private static final byte[] END = {};

  private final BlockingQueue<byte[]> chunks = new LinkedBlockingQueue<>();

  /** To write to. */
  OutputStream sink() {
    return new OutputStream() {
      @Override
      public void write(int b) {
        chunks.add(new byte[] {(byte) b});
      }

      @Override
      public void write(byte[] from, int offset, int size) {
        if (size > 0) {
          chunks.add(Arrays.copyOfRange(from, offset, offset + size));
        }
      }

      @Override
      public void close() {
        chunks.add(END);
      }
    };
  }

  /** To read from, by one thread. */
  InputStream source() {
    return new InputStream() {
      private byte[] chunk = new byte[1];
      private int at = 1;

      @Override
      public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
      }

      @Override
      public int read(byte[] into, int offset, int size) throws IOException {
        if (size == 0) {
          return 0;
        }
        if (at == chunk.length && chunk != END) {
          chunk = take();
          at = 0;
        }
        if (chunk == END) {
          return -1;
        }
        int taken = Math.min(size, chunk.length - at);
        System.arraycopy(chunk, at, into, offset, taken);
        at += taken;
        return taken;
      }
    };
  }

  private byte[] take() throws IOException {
    try {
      return chunks.take();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
