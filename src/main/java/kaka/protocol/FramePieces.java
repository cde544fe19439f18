package kaka.protocol;

import java.util.Arrays;
import java.util.List;

/** A large frame as it came, in arrays that are nobody else's; see {@link FrameCutter#isInPieces}. */
public final class FramePieces {
  private final byte[] first;
  private final int firstSize;
  private final List<byte[]> more;
  private final int sizeBytes;

  /** @param more all full: together with {@code firstSize} bytes of {@code first} they are {@code sizeBytes} */
  FramePieces(byte[] first, int firstSize, List<byte[]> more, int sizeBytes) {
    this.first = first;
    this.firstSize = firstSize;
    this.more = more;
    this.sizeBytes = sizeBytes;
  }

  /** Of all of them together. */
  public int sizeBytes() {
    return sizeBytes;
  }

  /** All of them, one after the other, in an array of just that size, for {@link FrameCutter#joined}. */
  public byte[] join() {
    byte[] whole = Arrays.copyOf(first, sizeBytes);
    int at = firstSize;
    for (byte[] piece : more) {
      System.arraycopy(piece, 0, whole, at, piece.length);
      at += piece.length;
    }
    return whole;
  }
}
