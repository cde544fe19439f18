package kaka.log;

/** What a backup consists of: segments that were copied, and those that an earlier backup had already. */
public record BackupCounts(long copiedSegments, long copiedBytes, long linkedSegments, long linkedBytes) {
  public static final BackupCounts NONE = new BackupCounts(0, 0, 0, 0);

  public BackupCounts plus(BackupCounts other) {
    return new BackupCounts(
        copiedSegments + other.copiedSegments,
        copiedBytes + other.copiedBytes,
        linkedSegments + other.linkedSegments,
        linkedBytes + other.linkedBytes);
  }

  BackupCounts withCopied(long bytes) {
    return new BackupCounts(copiedSegments + 1, copiedBytes + bytes, linkedSegments, linkedBytes);
  }

  BackupCounts withLinked(long bytes) {
    return new BackupCounts(copiedSegments, copiedBytes, linkedSegments + 1, linkedBytes + bytes);
  }
}
