package kaka.log;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Retention took a segment, or its log was closed, after the snapshot was taken and before a reader held the segment: take a
 * new snapshot and look again.
 */
public final class StaleSnapshotException extends IOException {
  StaleSnapshotException(Path file) {
    super(file + " is gone since the snapshot was taken");
  }
}
