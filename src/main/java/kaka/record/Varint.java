package kaka.record;

/** The zig-zag variable-length integers of the record format (Protocol Buffers encoding, 7 bits a byte, low bits first). */
public final class Varint {
  private Varint() {}

  /** Bytes that {@code value} takes, 1 to 5 for an int's range, 1 to 10 for a long's. */
  static int sizeOf(long value) {
    long zigzag = (value << 1) ^ (value >> 63);
    return (63 - Long.numberOfLeadingZeros(zigzag | 1)) / 7 + 1;
  }

  /** Writes {@code value} at {@code position}; returns the position after it. */
  static int put(byte[] into, int position, long value) {
    long zigzag = (value << 1) ^ (value >> 63);
    while ((zigzag & ~0x7fL) != 0) {
      into[position++] = (byte) (zigzag | 0x80);
      zigzag >>>= 7;
    }
    into[position++] = (byte) zigzag;
    return position;
  }

  /** Whether the 7 bits {@code part} are a legal next part of a number that has {@code bitsLeft} bits left. */
  public static boolean fits(int part, int bitsLeft) {
    return bitsLeft >= 7 || part >>> bitsLeft == 0;
  }

  /** The value whose zig-zag form, all parts together, is {@code raw}. */
  public static long unzigzag(long raw) {
    return (raw >>> 1) ^ -(raw & 1);
  }
}
