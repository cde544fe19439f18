package kaka.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.time.Clock;
import java.util.Arrays;

/**
 * The bytes of one file of a {@link MemoryDisk}, in chunks, so that growing copies nothing but the first, small one. Readers
 * take no lock: they see the contents that were published last, and one writer appends behind them.
 */
final class MemoryFile {
  private static final int FIRST_CHUNK_BYTES = 256;
  private static final int CHUNK_BYTES = 64 * 1024;

  private final Clock clock;
  private volatile Contents contents;

  /** @param chunks all of {@link #CHUNK_BYTES} but the first, which is smaller while it is alone */
  private record Contents(byte[][] chunks, long sizeBytes, long lastModifiedMs) {}

  MemoryFile(Clock clock) {
    this.clock = clock;
    this.contents = new Contents(new byte[0][], 0, clock.millis());
  }

  DiskFile open(boolean writable) {
    return new Handle(writable);
  }

  long sizeBytes() {
    return contents.sizeBytes();
  }

  long lastModifiedMs() {
    return contents.lastModifiedMs();
  }

  synchronized void setLastModifiedMs(long lastModifiedMs) {
    contents = new Contents(contents.chunks(), contents.sizeBytes(), lastModifiedMs);
  }

  private int read(ByteBuffer target, long position) {
    Contents seen = contents;
    int wanted = (int) Math.min(target.remaining(), Math.max(0, seen.sizeBytes() - position));
    long at = position;
    for (int left = wanted; left > 0; ) {
      byte[] chunk = seen.chunks()[(int) (at / CHUNK_BYTES)];
      int from = (int) (at % CHUNK_BYTES);
      int part = Math.min(left, CHUNK_BYTES - from);
      target.put(chunk, from, part);
      at += part;
      left -= part;
    }
    return wanted;
  }

  private synchronized void write(ByteBuffer source, long position) {
    if (position > contents.sizeBytes()) {
      throw new IllegalArgumentException("write at " + position + " leaves a hole after " + contents.sizeBytes());
    }
    long end = position + source.remaining();
    byte[][] chunks = chunksFor(end);
    long at = position;
    while (source.hasRemaining()) {
      byte[] chunk = chunks[(int) (at / CHUNK_BYTES)];
      int from = (int) (at % CHUNK_BYTES);
      int part = Math.min(source.remaining(), chunk.length - from);
      source.get(chunk, from, part);
      at += part;
    }
    contents = new Contents(chunks, Math.max(end, contents.sizeBytes()), clock.millis());
  }

  /** The present chunks, or a longer list of them where {@code sizeBytes} needs it; entries behind the end may be null. */
  private byte[][] chunksFor(long sizeBytes) {
    byte[][] chunks = contents.chunks();
    int needed = (int) ((sizeBytes + CHUNK_BYTES - 1) / CHUNK_BYTES);
    if (needed > chunks.length) {
      chunks = Arrays.copyOf(chunks, Math.max(needed, chunks.length * 2));
    }
    if (needed > 0 && (chunks[0] == null || chunks[0].length < Math.min(sizeBytes, CHUNK_BYTES))) {
      chunks = chunks.clone(); // a reader keeps the small chunk it has
      int present = chunks[0] == null ? 0 : chunks[0].length;
      int grown = (int) Math.max(Math.max(FIRST_CHUNK_BYTES, present * 2L), Math.min(sizeBytes, CHUNK_BYTES));
      byte[] first = new byte[Math.min(grown, CHUNK_BYTES)];
      if (present > 0) {
        System.arraycopy(chunks[0], 0, first, 0, present);
      }
      chunks[0] = first;
    }
    for (int i = 1; i < needed; i++) {
      if (chunks[i] == null) {
        chunks[i] = new byte[CHUNK_BYTES];
      }
    }
    return chunks;
  }

  private synchronized void truncate(long sizeBytes) {
    Contents before = contents;
    int kept = (int) ((sizeBytes + CHUNK_BYTES - 1) / CHUNK_BYTES);
    byte[][] chunks = Arrays.copyOf(before.chunks(), Math.min(kept, before.chunks().length));
    contents = new Contents(chunks, Math.min(sizeBytes, before.sizeBytes()), clock.millis());
  }

  private final class Handle implements DiskFile {
    private final boolean writable;
    private volatile boolean closed;

    Handle(boolean writable) {
      this.writable = writable;
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
      check(false);
      return MemoryFile.this.read(target, position);
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
      check(true);
      MemoryFile.this.write(source, position);
    }

    @Override
    public void truncate(long sizeBytes) throws IOException {
      check(true);
      MemoryFile.this.truncate(sizeBytes);
    }

    @Override
    public void sync() throws IOException {
      check(false);
    }

    @Override
    public long sizeBytes() throws IOException {
      check(false);
      return contents.sizeBytes();
    }

    @Override
    public void close() {
      closed = true;
    }

    private void check(boolean toWrite) throws IOException {
      if (closed) {
        throw new ClosedChannelException();
      }
      if (toWrite && !writable) {
        throw new NonWritableChannelException();
      }
    }
  }
}
