package kaka.connection;

/** A large answer that is made slice by slice, and what is held of it from one to the next. For one thread at a time. */
public interface SlicedAnswer {
  /** Bytes of the answer that are made and not given yet. */
  long madeBytes();

  /** Bytes held to read through, which {@link #trim} lets go of. */
  long windowBytes();

  /** What is held at most while the next slice is made, with what is held already, if it has {@code sliceBytes}. */
  long taskBytes(int sliceBytes);

  /** What is still to be given, or more where that is not known. */
  long leftBytes();

  /** Lets go of what can be read again. */
  void trim();
}
