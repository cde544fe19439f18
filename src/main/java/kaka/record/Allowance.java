package kaka.record;

/**
 * Whom to ask before bytes are held: what a compressed batch takes to be read is not known before it is looked at. Whoever
 * reserves gives back just as much. It also says how much a batch may become, and is told of what is done.
 */
public interface Allowance {
  /** For whoever reads one batch after another and has no budget to ask: then the bounds of {@link Decompression} hold. */
  Allowance UNLIMITED =
      new Allowance() {
        @Override
        public boolean tryReserve(long bytes) {
          return true;
        }

        @Override
        public void release(long bytes) {}
      };

  /** Takes {@code bytes} if there is room for all of them; otherwise takes nothing and returns false. */
  boolean tryReserve(long bytes);

  /** Gives back what {@link #tryReserve} took. */
  void release(long bytes);

  /** Bytes that one batch may be once decompressed, at most; a larger one is refused. */
  default long maxUnpackedBytes() {
    return Decompression.MAX_BYTES;
  }

  /** Told of bytes that were looked at: of a compressed batch each as it comes. Whoever has had enough of it throws. */
  default void worked(long bytes) {}

  /** Takes {@code bytes}. */
  default void reserve(long bytes) {
    if (!tryReserve(bytes)) {
      throw new NoAllowanceException(bytes);
    }
  }
}
