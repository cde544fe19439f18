package kaka.log;

/** Is told, while a backup is taken, how far it has come; may hold it up, so that it takes no more of a disk than it may. */
public interface BackupProgress {
  /** Bytes of logs that were read and written. */
  void copied(long bytes);

  /** Bytes of logs that an earlier backup has: neither read nor written. */
  void linked(long bytes);
}
