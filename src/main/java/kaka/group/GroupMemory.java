package kaka.group;

/** The broker's one budget of bytes, as far as groups use it. Safe from any thread. */
public interface GroupMemory {
  /** Takes {@code bytes} if there is room for all of them; otherwise takes nothing and returns false. */
  boolean tryReserve(long bytes);

  void release(long bytes);
}
