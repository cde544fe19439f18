package kaka.group;

import java.util.Arrays;

/** Bytes that belong to a group's members and mean nothing to the coordinator. Immutable. */
public final class Opaque {
  public static final Opaque EMPTY = new Opaque(new byte[0]);

  private final byte[] bytes;

  private Opaque(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Copies {@code bytes}. */
  public static Opaque of(byte[] bytes) {
    return bytes.length == 0 ? EMPTY : new Opaque(bytes.clone());
  }

  public int sizeBytes() {
    return bytes.length;
  }

  /** A copy. */
  public byte[] toByteArray() {
    return bytes.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Opaque that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return bytes.length + " bytes";
  }
}
