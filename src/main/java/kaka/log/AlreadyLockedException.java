package kaka.log;

import java.io.IOException;
import java.nio.file.Path;

/** Another broker, or another part of this process, holds the lock. */
public final class AlreadyLockedException extends IOException {
  /** @param holder {@code pid 123}, or what else is known */
  AlreadyLockedException(Path file, String holder) {
    super(file + " is held by " + holder);
  }
}
